import { hasNoRecord } from '../../dialect/decode.ts';
import type { ResponseRule } from '../../dialect/dialect.ts';
import type { Conclusions, ProbeInput, ResultList, SearchConclusions } from '../conclusions.ts';
import { type Exchange, type Finding, likely, open, type ProbeRequest, sure } from '../evidence.ts';
import { softError, softRuleOf } from '../refusals.ts';
import { entityPath } from './record_paths.ts';
import { textAt } from './result_list.ts';

/**
 * Finds out how the upstream responds to an unknown id. The value is the rule that recognises this response, or null if
 * the status is enough.
 */
export function findAbsence(
  entities: readonly Exchange[],
  search: SearchConclusions | null,
  template: string,
): Finding<ResponseRule | null> {
  const response = responseToUnknownId(entities, search?.listing ?? null, template);
  if (response === null) return open(null, NOT_REQUESTED);
  const { reading, status, json } = response;
  if (reading === 'absent') return sure(null, `an unknown id returns HTTP ${status}`);
  const entity = search?.record.value ?? null;
  if (reading === 'ok' && entity !== null && hasNoRecord({ entity }, json ?? null, ''))
    return sure(null, 'an unknown id returns an empty list');
  const records = entities.filter((one) => one !== response && softError(one.json) === null);
  const rule = softRuleOf(response, records, 'absent');
  if (rule !== null)
    return likely(rule, `an unknown id returns HTTP ${status} with ${JSON.stringify(softError(json)?.text)}`);
  if (reading === 'refused' && status !== null)
    return open(null, `the API refuses an unknown id with HTTP ${status}; its form may be invalid`);
  return open(null, 'the unknown id returned a record');
}

const NOT_REQUESTED = 'no unknown id was requested yet';

/** Returns the response to an id that is in no row, or null if no such id has been requested. */
function responseToUnknownId(
  entities: readonly Exchange[],
  listing: ResultList | null,
  template: string,
): Exchange | null {
  const known = new Set(
    listing?.ids.flatMap(({ pointer }) =>
      listing.rows.flatMap((row) => {
        const id = textAt(row, pointer);
        return id === null ? [] : [entityPath(template, id) ?? ''];
      }),
    ),
  );
  return entities.find(({ request }) => !known.has(request.path)) ?? null;
}

/** Drafts a request for an id that almost surely does not exist. */
export function probeUnknownId(
  { upstream }: ProbeInput,
  { addresses, absence }: Conclusions,
  search: SearchConclusions,
): ProbeRequest | null {
  if (absence.because !== NOT_REQUESTED || addresses.value === null || search.record.value === null)
    return null;
  const id = unlikelyId(search.known.map((known) => known.id));
  const template = `${new URL(upstream.base_url).origin}${addresses.value.entity}`;
  const path = id === null ? null : entityPath(template, id);
  return path === null
    ? null
    : { kind: 'entity', path, params: [], why: 'which response does an unknown id get?' };
}

/** Returns an id that resembles the known ids but almost surely does not exist, or null if no id is known. */
export function unlikelyId(ids: readonly string[]): string | null {
  const known = new Set(ids);
  const [pattern] = [...ids].sort((a, b) => a.length - b.length);
  if (pattern === undefined) return null;
  const candidates = ['9', '7', '3'].map((digit) => pattern.replace(/\d/g, digit));
  const ofDigits = candidates.find((id) => id !== pattern && !known.has(id));
  return ofDigits ?? `${pattern}-zzzz`;
}
