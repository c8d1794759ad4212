-- The number of companies that have each word, for searches that match words. The names need not be read. A set is
-- started when the planner needs it, and updated from then on.
CREATE TABLE _word_set (
  set_id   INTEGER PRIMARY KEY,
  beside   TEXT NOT NULL,                    -- counts companies that have a word with this prefix; '': all companies
  is_whole INTEGER NOT NULL,                 -- 1: counts companies that have exactly this word
  UNIQUE (beside, is_whole)
);

-- The words of a company are sorted, and each counts once. A word has `shared` prefixes, the empty one
-- included, in common with the word before it. The companies that have a word with a prefix are therefore the rows
-- of that prefix whose `shared` is at most the length of the prefix.
CREATE TABLE _word (
  set_id    INTEGER NOT NULL,
  word      TEXT NOT NULL,
  shared    INTEGER NOT NULL,
  companies INTEGER NOT NULL,
  PRIMARY KEY (set_id, word, shared)
) WITHOUT ROWID;
