import { isJsonObject, type Json } from '../json/json.ts';
import { segmentsOf } from '../json/pointer.ts';
import { countOf } from './body_values.ts';
import type { Pointer } from './dialect.ts';

/**
 * Returns whether a search response states beside its results that some are missing, such as `{"timed_out": true}` or
 * `{"_shards": {"failed": 1}}`. A listing does not end with such a response.
 */
export function isPartialResponse(body: Json, results: Pointer): boolean {
  const [list] = segmentsOf(results);
  if (!isJsonObject(body) || list === '{id}') return false;
  return Object.entries(body).some(
    ([key, value]) =>
      states(key, value) ||
      (key !== list &&
        isJsonObject(value) &&
        Object.entries(value).some(
          ([inner, one]) =>
            states(inner, one) || (SHARDS.test(key) && inner === 'failed' && countOf(one) !== 0),
        )),
  );
}

function states(key: string, value: Json): boolean {
  return (value === true || value === 'true') && PARTIAL.test(key.replace(/[^a-z]/gi, ''));
}

const PARTIAL = /^(timedout|terminatedearly|(is|results?)?(partial|incomplete|truncated)(results?)?)$/i;
const SHARDS = /^_?shards$/;
