-- A full-text index that SQLite 3.34 and newer can read. The option `remove_diacritics` of the trigram tokenizer
-- requires 3.45. Names with diacritics are therefore indexed twice, once unchanged and once without diacritics. The
-- columns return the original text from `_known`.

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

-- A rebuild started by an older version would continue with the old index. Without these tables, it restarts.
DROP TABLE IF EXISTS _next_entity_fts;
DROP TABLE IF EXISTS _next__known;
