CREATE TABLE postings (
	tenant TEXT NOT NULL,
	id TEXT NOT NULL,
	interaction_id TEXT NOT NULL,
	role TEXT NOT NULL,
	address TEXT NOT NULL,
	about TEXT,
	turn INTEGER DEFAULT 0 NOT NULL,
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
	CONSTRAINT ck_postings_about CHECK (about IS NULL OR (role = 'outcome' AND about IN ('resolved', 'ran', 'unknown', 'taken_back')) OR (role = 'reminder' AND about IN ('reminded', 'escalated', 'warned'))),
	CONSTRAINT ck_postings_painted CHECK (painted >= 0 AND wanted >= painted),
	CONSTRAINT ck_postings_given_up_failed CHECK (NOT given_up OR failed_at IS NOT NULL),
	CONSTRAINT ck_postings_place_whole CHECK (ts IS NULL OR channel IS NOT NULL),
	CONSTRAINT ck_postings_lease_whole CHECK ((lease IS NULL) = (leased_until IS NULL))
);

CREATE INDEX ix_postings_behind ON postings (due_at) WHERE wanted > painted AND given_up = 0;

CREATE INDEX ix_postings_interaction ON postings (tenant, interaction_id);

CREATE UNIQUE INDEX uq_postings_about ON postings (tenant, interaction_id, about) WHERE NOT is_copy AND about IS NOT NULL AND role = 'outcome';

CREATE UNIQUE INDEX uq_postings_asked ON postings (tenant, interaction_id, role, address, turn) WHERE NOT is_copy AND (about IS NULL OR role = 'reminder');

CREATE UNIQUE INDEX uq_postings_place ON postings (tenant, interaction_id, channel, ts) WHERE ts IS NOT NULL;
