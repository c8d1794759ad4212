-- Replaces the view so that the record's path in the response can contain the entity id: $.entities."{id}".
DROP VIEW entity_history;

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
    CASE
      WHEN r.value = '$' THEN CAST(b.body AS TEXT)
      ELSE json_extract(CAST(b.body AS TEXT), replace(r.value, '{id}', replace(v.entity_id, '"', '\"')))
    END
  END AS document,
  v.is_tombstone,
  v.call_id AS _call_id
FROM _version v
JOIN _answer a ON a.call_id = v.call_id
JOIN _answer b ON b.call_id = coalesce(a.same_as, a.call_id)
JOIN _meta r ON r.key = 'record_path';
