CREATE VIEW entity_overview AS
SELECT
  entity_id,
  name,
  CASE WHEN gone_at IS NOT NULL THEN 'gone' WHEN fetched_at IS NOT NULL THEN 'fetched' ELSE 'listed' END AS state,
  first_seen_at,
  last_seen_at,
  fetched_at,
  julianday('now') - julianday(coalesce(fetched_at, last_seen_at)) AS age_days
FROM _known;

CREATE VIEW coverage AS
WITH tally AS (
  SELECT
    coalesce((SELECT n FROM _tally WHERE what = 'known'), 0) AS known,
    coalesce((SELECT n FROM _tally WHERE what = 'listed'), 0) AS listed,
    coalesce((SELECT n FROM _tally WHERE what = 'fetched'), 0) AS fetched,
    coalesce((SELECT n FROM _tally WHERE what = 'gone'), 0) AS gone
),
latest AS (
  SELECT total, observed_at FROM registry_stats ORDER BY _call_id DESC LIMIT 1
)
SELECT
  known,
  listed,
  fetched,
  gone,
  (SELECT total FROM latest) AS registry_total,
  (SELECT observed_at FROM latest) AS registry_total_at,
  round((known - gone) * 1.0 / (SELECT nullif(total, 0) FROM latest), 6) AS known_share,
  round(fetched * 1.0 / (SELECT nullif(total, 0) FROM latest), 6) AS fetched_share
FROM tally;

CREATE VIEW freshness AS
WITH age AS (
  SELECT 'summary' AS what, listed_at AS seen_at FROM _known WHERE listed_at IS NOT NULL AND gone_at IS NULL
  UNION ALL
  SELECT 'record', fetched_at FROM _known WHERE fetched_at IS NOT NULL AND gone_at IS NULL
)
SELECT
  what,
  count(*) AS companies,
  min(seen_at) AS oldest_at,
  max(seen_at) AS newest_at,
  round(avg(julianday('now') - julianday(seen_at)), 3) AS mean_age_days,
  sum(seen_at >= strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '-1 day')) AS within_1_day,
  sum(seen_at >= strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '-7 days')) AS within_7_days,
  sum(seen_at >= strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '-30 days')) AS within_30_days,
  sum(seen_at >= strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '-90 days')) AS within_90_days
FROM age
GROUP BY what;

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
GROUP BY substr(sent_at, 1, 10);

-- Each entity's record versions. A version ends when the next one begins, or when the entity is gone.
CREATE VIEW entity_history AS
SELECT
  v.entity_id,
  v.observed_from,
  coalesce(
    v.ended_at,
    (SELECT n.observed_from FROM _version n
      WHERE n.entity_id = v.entity_id AND n.call_id > v.call_id
      ORDER BY n.call_id LIMIT 1)
  ) AS observed_to,
  CASE WHEN b.encoding IS NULL THEN
    CASE WHEN r.value = '$' THEN CAST(b.body AS TEXT) ELSE json_extract(CAST(b.body AS TEXT), r.value) END
  END AS document,
  v.is_tombstone,
  v.call_id AS _call_id
FROM _version v
JOIN _answer a ON a.call_id = v.call_id
JOIN _answer b ON b.call_id = coalesce(a.same_as, a.call_id)
JOIN _meta r ON r.key = 'record_path';

CREATE VIEW column_overview AS
SELECT
  c.table_name,
  c.column_name,
  c.path,
  c.child_table,
  c.type,
  c.types,
  round(c.nulls * 1.0 / nullif(t.rows_seen, 0), 4) AS null_share,
  round((t.rows_seen - c.nulls - c.present) * 1.0 / nullif(t.rows_seen, 0), 4) AS absent_share,
  round(c.changes * 1.0 / nullif(t.compared, 0), 4) AS change_share,
  c.first_seen_at,
  c.changed_at
FROM _column c
JOIN _table t USING (table_name);
