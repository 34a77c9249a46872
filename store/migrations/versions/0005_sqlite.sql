CREATE TABLE messages (
	tenant TEXT NOT NULL,
	id TEXT NOT NULL,
	interaction_id TEXT NOT NULL,
	wake INTEGER NOT NULL,
	body TEXT NOT NULL,
	begun INTEGER NOT NULL,
	CONSTRAINT pk_messages PRIMARY KEY (tenant, id),
	CONSTRAINT fk_messages_interaction FOREIGN KEY(tenant, interaction_id) REFERENCES interactions (tenant, id) ON DELETE CASCADE
);
CREATE INDEX ix_messages_interaction ON messages (tenant, interaction_id, wake);
CREATE TABLE deliveries (
	tenant TEXT NOT NULL,
	message_id TEXT NOT NULL,
	attempt INTEGER NOT NULL,
	interaction_id TEXT NOT NULL,
	wake INTEGER NOT NULL,
	at TEXT NOT NULL,
	by_hand BOOLEAN NOT NULL,
	status INTEGER,
	error TEXT,
	duration_ms INTEGER,
	token TEXT NOT NULL,
	CONSTRAINT pk_deliveries PRIMARY KEY (tenant, message_id, attempt),
	CONSTRAINT fk_deliveries_message FOREIGN KEY(tenant, message_id) REFERENCES messages (tenant, id) ON DELETE CASCADE
);
CREATE INDEX ix_deliveries_interaction ON deliveries (tenant, interaction_id, at, message_id, attempt);
CREATE INDEX ix_deliveries_newest ON deliveries (tenant, at, message_id, attempt);
