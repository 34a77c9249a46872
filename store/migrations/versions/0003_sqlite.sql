CREATE TABLE timers (
	tenant TEXT NOT NULL,
	interaction_id TEXT NOT NULL,
	kind TEXT NOT NULL,
	due_at TEXT NOT NULL,
	turn INTEGER NOT NULL,
	CONSTRAINT pk_timers PRIMARY KEY (tenant, interaction_id, kind),
	CONSTRAINT fk_timers_interaction FOREIGN KEY(tenant, interaction_id) REFERENCES interactions (tenant, id) ON DELETE CASCADE,
	CONSTRAINT ck_timers_kind CHECK (kind IN ('remind', 'escalate', 'warn'))
);

CREATE INDEX ix_timers_due ON timers (due_at);

CREATE TABLE policies (
	tenant TEXT NOT NULL,
	name TEXT NOT NULL,
	revision INTEGER NOT NULL,
	set_at TEXT NOT NULL,
	setter_kind TEXT NOT NULL,
	setter_id TEXT NOT NULL,
	setter_name TEXT NOT NULL,
	spec TEXT NOT NULL,
	removed BOOLEAN NOT NULL,
	CONSTRAINT pk_policies PRIMARY KEY (tenant, name, revision),
	CONSTRAINT ck_policies_revision CHECK (revision >= 1)
);

CREATE TABLE stops (
	tenant TEXT NOT NULL,
	id TEXT NOT NULL,
	tool TEXT NOT NULL,
	stopper_kind TEXT NOT NULL,
	stopper_id TEXT NOT NULL,
	stopper_name TEXT NOT NULL,
	at TEXT NOT NULL,
	reason TEXT,
	ended_at TEXT,
	ender_kind TEXT,
	ender_id TEXT,
	ender_name TEXT,
	CONSTRAINT pk_stops PRIMARY KEY (tenant, id),
	CONSTRAINT ck_stops_end_named CHECK ((ended_at IS NULL) = (ender_kind IS NULL))
);

CREATE UNIQUE INDEX uq_stops_holding ON stops (tenant, tool) WHERE ended_at IS NULL;
