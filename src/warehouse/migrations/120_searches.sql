-- How many searches in a row found nothing: read from the last one backwards.
CREATE INDEX _call_of_search ON _call (call_id) WHERE kind = 'search';
