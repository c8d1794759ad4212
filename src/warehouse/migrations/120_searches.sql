-- An index for counting consecutive searches without a new company, starting with the latest search.
CREATE INDEX _call_of_search ON _call (call_id) WHERE kind = 'search';
