-- How many companies moved to earlier pages while this page was not read yet, as far as companies on both pages show it.
ALTER TABLE _query_page ADD COLUMN moved INTEGER NOT NULL DEFAULT 0;
