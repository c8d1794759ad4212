-- The full-text index for SQLite 3.34 and newer. `remove_diacritics` of the trigram tokenizer needs 3.45, so the indexed
-- text contains names with diacritics twice: as they are, and without diacritics. The columns show the text of `_known`.

DROP TABLE entity_fts;

CREATE VIRTUAL TABLE entity_fts USING fts5 (
  entity_id UNINDEXED,
  name,
  former_names,
  identifiers,
  content = '_known',
  content_rowid = 'known_id',
  tokenize = 'trigram'
);

INSERT INTO entity_fts (rowid, entity_id, name, former_names, identifiers)
SELECT known_id, entity_id, indexed_text(name), indexed_text(former_names), indexed_text(identifiers) FROM _known;

-- An interrupted rebuild of an older program would continue with the old index. It restarts instead.
DROP TABLE IF EXISTS _next_entity_fts;
DROP TABLE IF EXISTS _next__known;
