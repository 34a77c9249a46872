CREATE TABLE drafts (
	tenant TEXT NOT NULL,
	interaction_id TEXT NOT NULL,
	person TEXT NOT NULL,
	entered TEXT NOT NULL,
	kept_at TEXT NOT NULL,
	CONSTRAINT pk_drafts PRIMARY KEY (tenant, interaction_id, person),
	CONSTRAINT fk_drafts_interaction FOREIGN KEY(tenant, interaction_id) REFERENCES interactions (tenant, id) ON DELETE CASCADE,
	CONSTRAINT ck_drafts_size CHECK (length(CAST(entered AS TEXT)) <= 65536)
);
