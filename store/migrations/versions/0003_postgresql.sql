ALTER TABLE interactions
	ADD COLUMN denials INTEGER DEFAULT 1 NOT NULL,
	ADD COLUMN terms JSON DEFAULT '{}' NOT NULL,
	ADD COLUMN action_details TEXT,
	ADD COLUMN facts JSON,
	ADD COLUMN links JSON,
	ADD COLUMN input_schema TEXT,
	ADD COLUMN fingerprint TEXT,
	ADD COLUMN edited_input TEXT,
	ADD COLUMN edited_digest TEXT,
	ADD COLUMN course JSONB DEFAULT '{}' NOT NULL,
	ADD COLUMN reopened_at TIMESTAMP WITH TIME ZONE,
	ADD CONSTRAINT ck_interactions_denials CHECK (denials >= 1),
	ADD CONSTRAINT ck_interactions_edited_whole CHECK ((edited_input IS NULL) = (edited_digest IS NULL) AND (edited_digest IS NULL OR decided_at IS NOT NULL));

CREATE INDEX ix_interactions_precedent ON interactions (tenant, tool_name, asker_id, resolved_at, id) WHERE decided_at IS NOT NULL AND tool_name IS NOT NULL;

CREATE INDEX ix_interactions_reporting ON interactions (report_due_at) WHERE report_due_at IS NOT NULL;

CREATE INDEX ix_interactions_requested ON interactions (tenant, requested_by, created_at, id) WHERE requested_by IS NOT NULL;

CREATE INDEX ix_interactions_stuck ON interactions (tenant, stuck_at, id) WHERE stuck_at IS NOT NULL;

CREATE INDEX ix_interactions_unknown ON interactions (tenant, execution_at, id) WHERE execution_status = 'unknown';

ALTER TABLE postings
	ADD COLUMN turn INTEGER DEFAULT 0 NOT NULL,
	DROP CONSTRAINT ck_postings_about,
	ADD CONSTRAINT ck_postings_about CHECK (about IS NULL OR (role = 'outcome' AND about IN ('resolved', 'ran', 'unknown', 'taken_back')) OR (role = 'reminder' AND about IN ('reminded', 'escalated', 'warned')));

DROP INDEX uq_postings_asked;

CREATE UNIQUE INDEX uq_postings_asked ON postings (tenant, interaction_id, role, address, turn) WHERE NOT is_copy AND (about IS NULL OR role = 'reminder');

DROP INDEX uq_postings_about;

CREATE UNIQUE INDEX uq_postings_about ON postings (tenant, interaction_id, about) WHERE NOT is_copy AND about IS NOT NULL AND role = 'outcome';

CREATE TABLE timers (
	tenant TEXT COLLATE "C" NOT NULL,
	interaction_id TEXT COLLATE "C" NOT NULL,
	kind TEXT NOT NULL,
	due_at TIMESTAMP WITH TIME ZONE NOT NULL,
	turn INTEGER NOT NULL,
	CONSTRAINT pk_timers PRIMARY KEY (tenant, interaction_id, kind),
	CONSTRAINT fk_timers_interaction FOREIGN KEY(tenant, interaction_id) REFERENCES interactions (tenant, id) ON DELETE CASCADE,
	CONSTRAINT ck_timers_kind CHECK (kind IN ('remind', 'escalate', 'warn'))
);

CREATE INDEX ix_timers_due ON timers (due_at);

CREATE TABLE policies (
	tenant TEXT COLLATE "C" NOT NULL,
	name TEXT COLLATE "C" NOT NULL,
	revision INTEGER NOT NULL,
	set_at TIMESTAMP WITH TIME ZONE NOT NULL,
	setter_kind TEXT NOT NULL,
	setter_id TEXT NOT NULL,
	setter_name TEXT NOT NULL,
	spec JSON NOT NULL,
	removed BOOLEAN NOT NULL,
	CONSTRAINT pk_policies PRIMARY KEY (tenant, name, revision),
	CONSTRAINT ck_policies_revision CHECK (revision >= 1)
);

CREATE TABLE stops (
	tenant TEXT COLLATE "C" NOT NULL,
	id TEXT COLLATE "C" NOT NULL,
	tool TEXT NOT NULL,
	stopper_kind TEXT NOT NULL,
	stopper_id TEXT NOT NULL,
	stopper_name TEXT NOT NULL,
	at TIMESTAMP WITH TIME ZONE NOT NULL,
	reason TEXT,
	ended_at TIMESTAMP WITH TIME ZONE,
	ender_kind TEXT,
	ender_id TEXT,
	ender_name TEXT,
	CONSTRAINT pk_stops PRIMARY KEY (tenant, id),
	CONSTRAINT ck_stops_end_named CHECK ((ended_at IS NULL) = (ender_kind IS NULL))
);

CREATE UNIQUE INDEX uq_stops_holding ON stops (tenant, tool) WHERE ended_at IS NULL;
