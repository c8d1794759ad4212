import { FIRST_PAGE, type SearchCall } from '../../../src/call.ts';
import { isoTime } from '../../../src/clock.ts';
import { openClassify } from '../../../src/dialect/classify.ts';
import { Dialect } from '../../../src/dialect/dialect.ts';
import { DAY_MS } from '../../../src/durations.ts';
import type { Outcome } from '../../../src/outcome.ts';
import { companyRecord } from './company_record.ts';

/** A synthetic registry of any size, which needs no memory because it computes each company from its id. */
export const FIRST_ID = 10_000_000;
const ID_DIGITS = 8;
const PAGE = 100;
const WINDOW = 1000;
/** A query with this many digits never has more matches than the cap. */
const LEAF_DIGITS = ID_DIGITS - Math.log10(WINDOW);

export const DIALECT = Dialect.parse({
  search: {
    query_param: 'q',
    paging: { style: 'page', param: 'page', first: 1, size_param: 'per_page', size: PAGE, window: WINDOW },
    results: '/results',
    id: '/company_number',
    name: '/name',
    total: '/total',
    matches: 'prefix',
    identifiers: 'prefix',
  },
  entity: { id: '/company_number', name: '/name' },
  stats: { total: '/total' },
});

export function recordBody(id: number): string {
  return JSON.stringify(companyRecord(id - FIRST_ID));
}

export function statsBody(companies: number): string {
  return JSON.stringify({ total: companies });
}

/** Returns a page of the companies whose ids start with the query. */
export function searchBody(companies: number, text: string, pageIndex: number): string {
  const { from, to } = idsWithPrefix(companies, text);
  const first = from + pageIndex * PAGE;
  const last = Math.min(first + PAGE, to, from + WINDOW);
  const results = Array.from({ length: Math.max(0, last - first) }, (_, at) => {
    const { company_number, name, status, legal_form, incorporated_on } = companyRecord(
      first + at - FIRST_ID,
    );
    return { company_number, name, status, legal_form, incorporated_on };
  });
  return JSON.stringify({ total: Math.max(0, to - from), results });
}

function idsWithPrefix(companies: number, text: string): { from: number; to: number } {
  if (!/^\d{1,8}$/.test(text)) return { from: 0, to: 0 };
  const width = 10 ** (ID_DIGITS - text.length);
  const from = Math.max(Number(text) * width, FIRST_ID);
  return { from, to: Math.min((Number(text) + 1) * width, FIRST_ID + companies) };
}

/** Returns the searches that list the whole registry, in the order of the identifier prefix tree. */
export function* searchesOf(companies: number): Generator<SearchCall> {
  for (let digits = 1; digits <= LEAF_DIGITS; digits++) {
    const width = 10 ** (ID_DIGITS - digits);
    for (let id = FIRST_ID; id < FIRST_ID + companies; id += width)
      for (let index = 0; index < (digits === LEAF_DIGITS ? WINDOW / PAGE : 1); index++)
        yield {
          kind: 'search',
          query: { by: 'identifier', text: String(id).slice(0, digits) },
          page: { ...FIRST_PAGE, index },
          reason: 'bench',
          expected: 0,
        };
  }
}

const classify = openClassify(DIALECT);
const START_MS = Date.now() - 30 * DAY_MS;

/** Returns the outcome that `fetch` would return. */
export function outcomeOf(call: Outcome['call'], callId: number, text: string): Outcome {
  const body = Buffer.from(text);
  const sentAtMs = START_MS + callId;
  const reply = { status: 200, headers: { 'content-type': 'application/json' }, body };
  const verdict = classify(call, reply, { nowMs: sentAtMs, keyHasWorked: true });
  return { callId, call, sentAt: isoTime(sentAtMs), durationMs: 50, status: 200, body, verdict };
}
