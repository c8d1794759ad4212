-- A search reads the ids of all gone companies, which are few, without reading the table.
CREATE INDEX _known_gone ON _known (gone_at) WHERE gone_at IS NOT NULL;
