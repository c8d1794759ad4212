-- Each company's evidence of changes, and its change rate class.

ALTER TABLE _known ADD COLUMN changes INTEGER NOT NULL DEFAULT 0;      -- periods that ended with a change
ALTER TABLE _known ADD COLUMN changing_days REAL NOT NULL DEFAULT 0;   -- days in these periods
ALTER TABLE _known ADD COLUMN changing_log REAL NOT NULL DEFAULT 0;    -- sum of the logarithms of these days
ALTER TABLE _known ADD COLUMN steady_days REAL NOT NULL DEFAULT 0;     -- days observed without a change
ALTER TABLE _known ADD COLUMN rate_class INTEGER NOT NULL DEFAULT -26; -- class 0 is once a day; every third class doubles the rate

DROP INDEX _known_asked;
CREATE INDEX _known_asked_by_rate ON _known (rate_class, asked_at)
  WHERE asked_at IS NOT NULL AND gone_at IS NULL AND flagged_at IS NULL;
CREATE INDEX _known_flagged_by_rate ON _known (rate_class, flagged_at) WHERE flagged_at IS NOT NULL;

-- Estimates from all companies, as JSON: the prior for change rates, and the share of changes that listings show.
CREATE TABLE _change_estimate (
  class TEXT PRIMARY KEY,
  state TEXT NOT NULL
) WITHOUT ROWID;
