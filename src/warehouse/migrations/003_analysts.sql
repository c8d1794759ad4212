-- The tables that analysts read. Loading responses adds payload columns and child tables.

CREATE TABLE entity (
  entity_id   TEXT PRIMARY KEY NOT NULL,
  _fetched_at TEXT NOT NULL,
  _changed_at TEXT NOT NULL,
  _gone_at    TEXT,
  _call_id    INTEGER NOT NULL REFERENCES _call (call_id)
);

CREATE TABLE search_result (
  entity_id      TEXT PRIMARY KEY NOT NULL,
  _first_seen_at TEXT NOT NULL,
  _last_seen_at  TEXT NOT NULL,
  _call_id       INTEGER NOT NULL REFERENCES _call (call_id)
);

CREATE TABLE registry_stats (
  observed_at TEXT NOT NULL,
  total       INTEGER,
  _call_id    INTEGER PRIMARY KEY REFERENCES _call (call_id)
);

CREATE TABLE entity_change (
  change_id   INTEGER PRIMARY KEY,
  entity_id   TEXT NOT NULL,
  observed_at TEXT NOT NULL,
  not_before  TEXT,
  path        TEXT NOT NULL,
  before      ,
  after       ,
  _call_id    INTEGER NOT NULL REFERENCES _call (call_id)
);

CREATE INDEX entity_change_by_entity ON entity_change (entity_id);
CREATE INDEX entity_change_by_call ON entity_change (_call_id);

CREATE VIRTUAL TABLE entity_fts USING fts5 (
  entity_id UNINDEXED,
  name,
  former_names,
  identifiers,
  content = '_known',
  content_rowid = 'known_id',
  tokenize = 'trigram remove_diacritics 1'
);
