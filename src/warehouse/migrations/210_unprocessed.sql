-- Responses that are stored and not processed yet. A start processes them before it sends a call.

CREATE INDEX _call_unprocessed ON _call (call_id) WHERE outcome = 'received';
