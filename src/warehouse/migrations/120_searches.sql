-- For the number of consecutive searches without a new company, read from the last one backwards.
CREATE INDEX _call_of_search ON _call (call_id) WHERE kind = 'search';
