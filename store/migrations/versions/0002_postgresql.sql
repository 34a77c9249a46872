CREATE TABLE drafts (
	tenant TEXT COLLATE "C" NOT NULL,
	interaction_id TEXT COLLATE "C" NOT NULL,
	person TEXT COLLATE "C" NOT NULL,
	entered JSONB NOT NULL,
	kept_at TIMESTAMP WITH TIME ZONE NOT NULL,
	CONSTRAINT pk_drafts PRIMARY KEY (tenant, interaction_id, person),
	CONSTRAINT fk_drafts_interaction FOREIGN KEY(tenant, interaction_id) REFERENCES interactions (tenant, id) ON DELETE CASCADE,
	CONSTRAINT ck_drafts_size CHECK (length(CAST(entered AS TEXT)) <= 65536)
);
