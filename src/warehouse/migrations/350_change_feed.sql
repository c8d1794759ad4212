-- The change feed. One sequence of versions orders all public tables' rows. Writing a record or a summary takes one
-- version for the overview, then one for the row itself, and then one for each of its list rows. The columns below
-- store the first of these versions. A fetch or listing that finds no change uses two version numbers. A change's version is its
-- change_id.

ALTER TABLE _known ADD COLUMN record_added INTEGER;      -- the record_version when the record was first stored
ALTER TABLE _known ADD COLUMN record_version INTEGER;    -- when the record was last written with its lists
ALTER TABLE _known ADD COLUMN record_touched INTEGER;    -- when only its times changed later
ALTER TABLE _known ADD COLUMN summary_added INTEGER;
ALTER TABLE _known ADD COLUMN summary_version INTEGER;
ALTER TABLE _known ADD COLUMN summary_touched INTEGER;

CREATE INDEX _known_by_record_version ON _known (record_version) WHERE record_version IS NOT NULL;
CREATE INDEX _known_by_record_touched ON _known (record_touched) WHERE record_touched IS NOT NULL;
CREATE INDEX _known_by_summary_version ON _known (summary_version) WHERE summary_version IS NOT NULL;
CREATE INDEX _known_by_summary_touched ON _known (summary_touched) WHERE summary_touched IS NOT NULL;

-- Rows whose versions cannot be derived from their company's versions: deleted rows, rows added to a list after its
-- first version, and statistics.
CREATE TABLE _feed_row (
  table_name TEXT NOT NULL,
  key        TEXT NOT NULL,                  -- entity_id; call id of statistics; change_id
  position   INTEGER NOT NULL,               -- in a list; 0 in other tables
  version    INTEGER NOT NULL,
  is_deleted INTEGER NOT NULL,
  PRIMARY KEY (table_name, key, position)
) WITHOUT ROWID;

CREATE INDEX _feed_row_by_version ON _feed_row (version);

-- One random name per writing session. A cursor contains a version and its session's name. A cursor that another
-- warehouse issued, or that is newer than a restored copy, is therefore recognised.
CREATE TABLE _feed_session (
  first_version INTEGER PRIMARY KEY,
  name          TEXT NOT NULL
);

ALTER TABLE _forgotten ADD COLUMN version INTEGER NOT NULL DEFAULT 0;

-- Assigns versions to the rows of an older warehouse. A response's lists have at most 100,000 rows in total, and each
-- row uses at most one version. Therefore 131,072 versions are enough for each record or summary.
UPDATE _known SET record_version = (SELECT coalesce(max(change_id), 0) FROM entity_change) + known_id * 2 * 131072
  WHERE entity_id IN (SELECT entity_id FROM entity);
UPDATE _known
  SET summary_version = (SELECT coalesce(max(change_id), 0) FROM entity_change) + (known_id * 2 + 1) * 131072
  WHERE entity_id IN (SELECT entity_id FROM search_result);
UPDATE _known SET record_added = record_version, summary_added = summary_version;
INSERT INTO _meta (key, value)
  SELECT 'feed_version', (SELECT coalesce(max(change_id), 0) FROM entity_change) + (max(known_id) + 1) * 2 * 131072
  FROM _known HAVING count(*) > 0;
INSERT INTO _feed_row (table_name, key, position, version, is_deleted)
  SELECT 'registry_stats', _call_id, 0,
    (SELECT coalesce(max(value), 0) FROM _meta WHERE key = 'feed_version') + row_number() OVER (ORDER BY _call_id), 0
  FROM registry_stats;
UPDATE _forgotten SET version =
  (SELECT coalesce(max(value), 0) FROM _meta WHERE key = 'feed_version') + (SELECT count(*) FROM registry_stats)
  + (SELECT count(*) FROM _forgotten f WHERE f.entity_id <= _forgotten.entity_id);
INSERT INTO _meta (key, value)
  VALUES ('feed_version', (SELECT count(*) FROM registry_stats) + (SELECT count(*) FROM _forgotten))
  ON CONFLICT (key) DO UPDATE SET value = CAST(_meta.value AS INTEGER) + CAST(excluded.value AS INTEGER);
INSERT INTO _feed_session (first_version, name)
  SELECT 1, lower(hex(randomblob(6))) FROM _meta WHERE key = 'feed_version' AND CAST(value AS INTEGER) > 0;
-- A rebuild started by an older version lacks the new columns, so it restarts.
DELETE FROM _meta WHERE key = 'rebuild';
