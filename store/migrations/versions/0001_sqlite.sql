CREATE TABLE events (
	tenant TEXT NOT NULL,
	interaction_id TEXT NOT NULL,
	seq INTEGER NOT NULL,
	at TEXT NOT NULL,
	action TEXT NOT NULL,
	actor_kind TEXT NOT NULL,
	actor_id TEXT NOT NULL,
	actor_name TEXT NOT NULL,
	surface TEXT NOT NULL,
	old_state TEXT NOT NULL,
	new_state TEXT NOT NULL,
	details TEXT NOT NULL,
	attempt TEXT NOT NULL,
	CONSTRAINT pk_events PRIMARY KEY (tenant, interaction_id, seq)
);

CREATE TABLE installations (
	tenant TEXT NOT NULL,
	team_id TEXT NOT NULL,
	enterprise_id TEXT,
	app_id TEXT,
	bot_user_id TEXT NOT NULL,
	bot_id TEXT,
	team_name TEXT NOT NULL,
	team_url TEXT,
	bound_at TEXT NOT NULL,
	CONSTRAINT pk_installations PRIMARY KEY (tenant)
);

CREATE INDEX ix_installations_team ON installations (team_id);

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
	destination TEXT NOT NULL,
	resume_kind TEXT NOT NULL,
	resume_target TEXT,
	supersedes TEXT,
	digest TEXT,
	body TEXT,
	tool_name TEXT,
	input_json TEXT,
	risk TEXT,
	run_within_us BIGINT,
	questions TEXT,
	version INTEGER NOT NULL,
	votes TEXT,
	decision TEXT,
	feedback TEXT,
	answers TEXT,
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

CREATE INDEX ix_interactions_sticking ON interactions (stuck_due_at) WHERE stuck_due_at IS NOT NULL;

CREATE INDEX ix_interactions_telling ON interactions (resume_due_at) WHERE resume_due_at IS NOT NULL;

CREATE INDEX ix_interactions_unclaimed ON interactions (tenant, run_id, decided_at, id) WHERE decided_at IS NOT NULL AND claimed_at IS NULL;

CREATE TABLE keys (
	tenant TEXT NOT NULL,
	id TEXT NOT NULL,
	name TEXT NOT NULL,
	secret_sha256 TEXT NOT NULL,
	scopes TEXT NOT NULL,
	created_at TEXT NOT NULL,
	expires_at TEXT,
	revoked_at TEXT,
	any_approvers BOOLEAN NOT NULL,
	owner TEXT,
	policies TEXT NOT NULL,
	CONSTRAINT pk_keys PRIMARY KEY (tenant, id),
	CONSTRAINT uq_keys_secret UNIQUE (secret_sha256)
);

CREATE UNIQUE INDEX uq_keys_name ON keys (tenant, name) WHERE revoked_at IS NULL;

CREATE TABLE postings (
	tenant TEXT NOT NULL,
	id TEXT NOT NULL,
	interaction_id TEXT NOT NULL,
	role TEXT NOT NULL,
	address TEXT NOT NULL,
	about TEXT,
	is_copy BOOLEAN NOT NULL,
	channel TEXT,
	thread_ts TEXT,
	ts TEXT,
	permalink TEXT,
	wanted INTEGER NOT NULL,
	painted INTEGER NOT NULL,
	due_at TEXT NOT NULL,
	attempts INTEGER NOT NULL,
	error TEXT,
	failed_at TEXT,
	given_up BOOLEAN NOT NULL,
	lease TEXT,
	leased_until TEXT,
	CONSTRAINT pk_postings PRIMARY KEY (tenant, id),
	CONSTRAINT fk_postings_interaction FOREIGN KEY(tenant, interaction_id) REFERENCES interactions (tenant, id) ON DELETE CASCADE,
	CONSTRAINT ck_postings_role CHECK (role IN ('card', 'outcome', 'reminder', 'notice')),
	CONSTRAINT ck_postings_about CHECK (about IS NULL OR (role = 'outcome' AND about IN ('resolved', 'ran'))),
	CONSTRAINT ck_postings_painted CHECK (painted >= 0 AND wanted >= painted),
	CONSTRAINT ck_postings_given_up_failed CHECK (NOT given_up OR failed_at IS NOT NULL),
	CONSTRAINT ck_postings_place_whole CHECK (ts IS NULL OR channel IS NOT NULL),
	CONSTRAINT ck_postings_lease_whole CHECK ((lease IS NULL) = (leased_until IS NULL))
);

CREATE INDEX ix_postings_behind ON postings (due_at) WHERE wanted > painted AND given_up = 0;

CREATE INDEX ix_postings_interaction ON postings (tenant, interaction_id);

CREATE UNIQUE INDEX uq_postings_about ON postings (tenant, interaction_id, about) WHERE NOT is_copy AND about IS NOT NULL;

CREATE UNIQUE INDEX uq_postings_asked ON postings (tenant, interaction_id, role, address) WHERE NOT is_copy AND about IS NULL;

CREATE UNIQUE INDEX uq_postings_place ON postings (tenant, interaction_id, channel, ts) WHERE ts IS NOT NULL;
