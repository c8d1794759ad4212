-- An index for counting how many consecutive searches, up to the last one, found no new company.
CREATE INDEX _call_of_search ON _call (call_id) WHERE kind = 'search';
