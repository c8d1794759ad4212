-- Names and identifiers in the order in which searches compare them. To count the texts with a prefix, SQLite reads
-- only the index.
CREATE TABLE _name (
  folded   TEXT NOT NULL,                    -- in lower case, one space between words
  known_id INTEGER NOT NULL,
  PRIMARY KEY (folded, known_id)
) WITHOUT ROWID;

INSERT INTO _name SELECT folded(name), known_id FROM _known WHERE name IS NOT NULL ORDER BY 1, 2;

CREATE INDEX _known_by_identifier ON _known (upper(entity_id));
