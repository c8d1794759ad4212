-- A response is stored with the outcome `received`, and gets its real outcome when it is processed. Until then, its
-- call appears in no report. Unprocessed calls have ids after `_meta.processed_until`.

DROP VIEW allowance_daily;
DROP INDEX _call_by_day;

CREATE INDEX _call_by_day ON _call (substr(sent_at, 1, 10), kind, outcome) WHERE outcome <> 'received';

CREATE VIEW allowance_daily AS
SELECT
  substr(sent_at, 1, 10) AS day,
  sum(outcome <> 'unsent') AS calls,
  sum(kind = 'stats' AND outcome <> 'unsent') AS stats_calls,
  sum(kind = 'search' AND outcome <> 'unsent') AS search_calls,
  sum(kind = 'entity' AND outcome <> 'unsent') AS entity_calls,
  sum(outcome = 'ok') AS ok,
  sum(outcome IN ('broken', 'refused')) AS failed,
  sum(outcome IN ('throttled', 'exhausted')) AS turned_away,
  sum(outcome = 'unsent') AS unsent
FROM _call
WHERE outcome <> 'received'
GROUP BY substr(sent_at, 1, 10);
