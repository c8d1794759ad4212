-- The number of companies that have each word, for searches that match words. Because of these counts, the planner need
-- not read all names. A set is created when the planner first needs it, and is updated from then on.
CREATE TABLE _word_set (
  set_id   INTEGER PRIMARY KEY,
  beside   TEXT NOT NULL,                    -- counts companies that have a word with this prefix; '' for all companies
  is_whole INTEGER NOT NULL,                 -- 1: counts companies that have exactly this word
  UNIQUE (beside, is_whole)
);

-- The words of a company are sorted, and each one counts once. `shared` is the number of prefixes, including the empty
-- one, that a word has in common with the preceding word. The companies with a prefix are therefore the rows of this
-- prefix whose `shared` is at most the length of the prefix.
CREATE TABLE _word (
  set_id    INTEGER NOT NULL,
  word      TEXT NOT NULL,
  shared    INTEGER NOT NULL,
  companies INTEGER NOT NULL,
  PRIMARY KEY (set_id, word, shared)
) WITHOUT ROWID;
