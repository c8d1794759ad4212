-- The words of known companies, where searches find names by their words: of each word how many companies have it, so that
-- their names need not be read. Sets are begun when they are needed; each is kept in step from then on.
CREATE TABLE _word_set (
  set_id   INTEGER PRIMARY KEY,
  beside   TEXT NOT NULL,                    -- of the companies that have a word which begins so; '': of all
  is_whole INTEGER NOT NULL,                 -- 1: a word which is so
  UNIQUE (beside, is_whole)
);

-- A company counts once for each of its words, in order. The word before has `shared` of its beginnings as well, the empty
-- one among them: so companies with a word that begins with a text are those whose `shared` is at most its length.
CREATE TABLE _word (
  set_id    INTEGER NOT NULL,
  word      TEXT NOT NULL,
  shared    INTEGER NOT NULL,
  companies INTEGER NOT NULL,
  PRIMARY KEY (set_id, word, shared)
) WITHOUT ROWID;
