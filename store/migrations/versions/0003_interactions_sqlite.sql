CREATE TABLE interactions (
	tenant TEXT NOT NULL,
	id TEXT NOT NULL,
	code TEXT NOT NULL,
	kind TEXT NOT NULL,
	run_id TEXT NOT NULL,
	operation_id TEXT NOT NULL,
	title TEXT NOT NULL,
	request_digest TEXT NOT NULL,
	created_at TEXT NOT NULL,
	deadline TEXT NOT NULL,
	asker_kind TEXT NOT NULL,
	asker_id TEXT NOT NULL,
	asker_name TEXT NOT NULL,
	requested_by TEXT,
	approvers TEXT NOT NULL,
	quorum INTEGER NOT NULL,
	denials INTEGER DEFAULT 1 NOT NULL,
	terms TEXT DEFAULT '{}' NOT NULL,
	destination TEXT NOT NULL,
	resume_kind TEXT NOT NULL,
	resume_target TEXT,
	supersedes TEXT,
	digest TEXT,
	body TEXT,
	tool_name TEXT,
	input_json TEXT,
	action_details TEXT,
	facts TEXT,
	links TEXT,
	input_schema TEXT,
	fingerprint TEXT,
	risk TEXT,
	run_within_us BIGINT,
	questions TEXT,
	version INTEGER NOT NULL,
	votes TEXT,
	decision TEXT,
	feedback TEXT,
	edited_input TEXT,
	edited_digest TEXT,
	answers TEXT,
	course TEXT DEFAULT '{}' NOT NULL,
	reopened_at TEXT,
	decided_at TEXT,
	answered_at TEXT,
	expired_at TEXT,
	withdrawn_at TEXT,
	superseded_at TEXT,
	resolved_at TEXT,
	resolver_kind TEXT,
	resolver_id TEXT,
	resolver_name TEXT,
	reason TEXT,
	superseded_by TEXT,
	claimed_at TEXT,
	claim_id TEXT,
	claim_executes BOOLEAN,
	claimed_by TEXT,
	execution_status TEXT,
	execution_at TEXT,
	execution_started_at TEXT,
	execution_detail TEXT,
	report_within INTEGER,
	report_due_at TEXT,
	told_at TEXT,
	resume_due_at TEXT,
	resume_attempts INTEGER DEFAULT 0 NOT NULL,
	resume_wakes INTEGER DEFAULT 0 NOT NULL,
	resume_woken_from INTEGER DEFAULT 0 NOT NULL,
	resume_error TEXT,
	stuck_at TEXT,
	stuck_due_at TEXT,
	lapsed_at TEXT,
	lapse_due_at TEXT,
	resume_lease TEXT,
	resume_leased_until TEXT,
	CONSTRAINT pk_interactions PRIMARY KEY (tenant, id),
	CONSTRAINT uq_interactions_operation UNIQUE (tenant, run_id, operation_id),
	CONSTRAINT ck_interactions_kind CHECK (kind IN ('question', 'approval')),
	CONSTRAINT ck_interactions_ends_once CHECK (CASE WHEN decided_at IS NULL THEN 0 ELSE 1 END + CASE WHEN answered_at IS NULL THEN 0 ELSE 1 END + CASE WHEN expired_at IS NULL THEN 0 ELSE 1 END + CASE WHEN withdrawn_at IS NULL THEN 0 ELSE 1 END + CASE WHEN superseded_at IS NULL THEN 0 ELSE 1 END <= 1),
	CONSTRAINT ck_interactions_resolved_when_ended CHECK ((resolved_at IS NULL AND coalesce(decided_at, answered_at, expired_at, withdrawn_at, superseded_at) IS NULL) OR (resolved_at IS NOT NULL AND coalesce(decided_at, answered_at, expired_at, withdrawn_at, superseded_at) IS NOT NULL AND resolved_at = coalesce(decided_at, answered_at, expired_at, withdrawn_at, superseded_at))),
	CONSTRAINT ck_interactions_resolver_named CHECK ((resolved_at IS NULL) = (resolver_kind IS NULL)),
	CONSTRAINT ck_interactions_decision_dated CHECK ((decision IS NULL) = (decided_at IS NULL)),
	CONSTRAINT ck_interactions_decision_known CHECK (decision IS NULL OR decision IN ('allow-once', 'allow-conversation', 'allow-always', 'deny')),
	CONSTRAINT ck_interactions_answers_dated CHECK ((answers IS NULL) = (answered_at IS NULL)),
	CONSTRAINT ck_interactions_successor_named CHECK ((superseded_by IS NULL) = (superseded_at IS NULL)),
	CONSTRAINT ck_interactions_claim_after_decision CHECK (claimed_at IS NULL OR decided_at IS NOT NULL),
	CONSTRAINT ck_interactions_claim_whole CHECK ((claimed_at IS NULL) = (claim_id IS NULL) AND (claimed_at IS NULL) = (claim_executes IS NULL)),
	CONSTRAINT ck_interactions_execution_of_claim CHECK (execution_status IS NULL OR (claimed_at IS NOT NULL AND claim_executes)),
	CONSTRAINT ck_interactions_execution_known CHECK (execution_status IS NULL OR (execution_at IS NOT NULL AND execution_started_at IS NOT NULL AND execution_status IN ('claimed', 'running', 'succeeded', 'failed', 'unknown'))),
	CONSTRAINT ck_interactions_approval_whole CHECK (kind <> 'approval' OR (digest IS NOT NULL AND risk IN ('low', 'medium', 'high') AND run_within_us IS NOT NULL AND votes IS NOT NULL AND questions IS NULL AND answered_at IS NULL)),
	CONSTRAINT ck_interactions_question_whole CHECK (kind <> 'question' OR (questions IS NOT NULL AND digest IS NULL AND votes IS NULL AND decided_at IS NULL AND superseded_at IS NULL)),
	CONSTRAINT ck_interactions_quorum CHECK (quorum >= 1),
	CONSTRAINT ck_interactions_denials CHECK (denials >= 1),
	CONSTRAINT ck_interactions_edited_whole CHECK ((edited_input IS NULL) = (edited_digest IS NULL) AND (edited_digest IS NULL OR decided_at IS NOT NULL)),
	CONSTRAINT ck_interactions_resume_kind CHECK (resume_kind IN ('handler', 'webhook', 'pull')),
	CONSTRAINT ck_interactions_resume_target CHECK ((resume_kind = 'pull') = (resume_target IS NULL)),
	CONSTRAINT ck_interactions_telling_after_end CHECK (resolved_at IS NOT NULL OR (resume_due_at IS NULL AND told_at IS NULL AND stuck_at IS NULL AND stuck_due_at IS NULL AND resume_lease IS NULL)),
	CONSTRAINT ck_interactions_lapse_of_approved CHECK (lapse_due_at IS NULL OR (decided_at IS NOT NULL AND claimed_at IS NULL)),
	CONSTRAINT ck_interactions_claim_ends_telling CHECK (claimed_at IS NULL OR (resume_due_at IS NULL AND stuck_at IS NULL AND stuck_due_at IS NULL)),
	CONSTRAINT ck_interactions_lease_whole CHECK ((resume_lease IS NULL) = (resume_leased_until IS NULL))
);

CREATE INDEX ix_interactions_code ON interactions (tenant, code);

CREATE INDEX ix_interactions_expiring ON interactions (deadline) WHERE resolved_at IS NULL;

CREATE INDEX ix_interactions_lapsing ON interactions (lapse_due_at) WHERE lapse_due_at IS NOT NULL;

CREATE INDEX ix_interactions_newest ON interactions (tenant, created_at, id);

CREATE INDEX ix_interactions_pending ON interactions (tenant, deadline, id) WHERE resolved_at IS NULL;

CREATE INDEX ix_interactions_precedent ON interactions (tenant, tool_name, asker_id, resolved_at, id) WHERE decided_at IS NOT NULL AND tool_name IS NOT NULL;

CREATE INDEX ix_interactions_reporting ON interactions (report_due_at) WHERE report_due_at IS NOT NULL;

CREATE INDEX ix_interactions_requested ON interactions (tenant, requested_by, created_at, id) WHERE requested_by IS NOT NULL;

CREATE INDEX ix_interactions_sticking ON interactions (stuck_due_at) WHERE stuck_due_at IS NOT NULL;

CREATE INDEX ix_interactions_stuck ON interactions (tenant, stuck_at, id) WHERE stuck_at IS NOT NULL;

CREATE INDEX ix_interactions_telling ON interactions (resume_due_at) WHERE resume_due_at IS NOT NULL;

CREATE INDEX ix_interactions_unclaimed ON interactions (tenant, run_id, decided_at, id) WHERE decided_at IS NOT NULL AND claimed_at IS NULL;

CREATE INDEX ix_interactions_unknown ON interactions (tenant, execution_at, id) WHERE execution_status = 'unknown';
