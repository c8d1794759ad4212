-- How many companies have each word in their names, for searches that match words. With these counts, the planner need
-- not read all names. A set is created when it is first needed, and updated from then on.
CREATE TABLE _word_set (
  set_id   INTEGER PRIMARY KEY,
  beside   TEXT NOT NULL,                    -- counts companies with a word that has this prefix; '' for all companies
  is_whole INTEGER NOT NULL,                 -- 1: counts companies that have exactly this word
  UNIQUE (beside, is_whole)
);

-- A company's words are sorted, and each one counts once. `shared` is the number of prefixes, including the empty one,
-- that a word has in common with the preceding word. To count the companies that have a prefix, add up the rows with
-- this prefix whose `shared` is at most the prefix's length.
CREATE TABLE _word (
  set_id    INTEGER NOT NULL,
  word      TEXT NOT NULL,
  shared    INTEGER NOT NULL,
  companies INTEGER NOT NULL,
  PRIMARY KEY (set_id, word, shared)
) WITHOUT ROWID;
