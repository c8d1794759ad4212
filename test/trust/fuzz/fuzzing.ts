import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { clientDialect } from '../../../src/api/api_profile.ts';
import type { Call } from '../../../src/call.ts';
import { parseConfig } from '../../../src/config/load_config.ts';
import { openClassify, type Reply } from '../../../src/dialect/classify.ts';
import { nextLink, rateLimitResetMs, retryAfterMs } from '../../../src/dialect/headers.ts';
import { MirrorError } from '../../../src/errors.ts';
import { isJsonObject, type Json, parseJson, stringifyJson } from '../../../src/json/json.ts';
import { placedAt } from '../../../src/json/json_template.ts';
import { Loader } from '../../../src/load/load.ts';
import { answerTable } from '../../../src/warehouse/answer.ts';
import { startRun } from '../../../src/warehouse/run.ts';
import { openWarehouse } from '../../../src/warehouse/warehouse.ts';
import { randomProfile } from '../../support/random_profile.ts';

/** A property that must hold for any input from an upstream or an operator. */
export interface Target {
  readonly name: string;
  /** How many of this target's inputs take as long as one input for the slowest target. */
  readonly weight: number;
  /** Returns a counterexample with its error, or null if none is found. */
  check(options: { readonly seed: number; readonly runs: number }): string | null;
}

const LOADED_SHAPE = 1;
const NOW_MS = Date.UTC(2027, 0, 15, 9);

const key = fc.oneof(
  fc.constantFrom(
    'id',
    'name',
    'results',
    'total',
    'data',
    'error',
    'message',
    'code',
    'next',
    '__proto__',
    '',
    '_call_id',
    'rowid',
    'a"b',
    "a'b",
    'x\u0000y',
    'entity__officers',
  ),
  fc.string({ unit: 'binary', maxLength: 12 }),
);
const leaf = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.constantFrom(
    null,
    true,
    false,
    '../../etc/passwd',
    '%2F',
    '\u0000',
    "'; DROP TABLE entity; --",
    '\ud800',
    '😀',
    '=1+1',
  ),
  fc.double({ noNaN: true }),
  fc.bigInt().map(String),
  fc.integer(),
);
const json = fc.letrec((tie) => ({
  value: fc.oneof({ depthSize: 'medium', withCrossShrink: true }, leaf, tie('list'), tie('object')),
  list: fc.array(tie('value'), { maxLength: 5 }),
  object: fc.dictionary(key, tie('value'), { maxKeys: 6 }),
})).value;

const jsonText = json.map((value) => JSON.stringify(value));
const body = fc.oneof(
  { weight: 4, arbitrary: jsonText.map((text) => Buffer.from(text)) },
  { weight: 2, arbitrary: fc.tuple(jsonText, fc.nat(), fc.uint8Array({ maxLength: 4 })).map(spliced) },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes)) },
);
const headerValue = fc.oneof(
  fc.string({ maxLength: 40 }),
  fc.constantFrom(
    '0',
    '-1',
    '1e309',
    '99999999999999999999',
    'Fri, 31 Dec 9999 23:59:59 GMT',
    'NaN',
    '<>; rel=next',
    '<http://[::1>; rel="next"',
    '"default";r=0;t=-5',
    'a=1;b=2, c;t=1e9',
  ),
  fc.date({ noInvalidDate: true }).map((date) => date.toUTCString()),
);
const headers = fc.dictionary(
  fc.constantFrom(
    'retry-after',
    'link',
    'ratelimit',
    'ratelimit-reset',
    'ratelimit-remaining',
    'x-ratelimit-reset',
    'x-ratelimit-remaining',
    'content-type',
    'date',
    'location',
  ),
  headerValue,
);
const calls: readonly Call[] = [
  { kind: 'stats', reason: '', expected: 0 },
  { kind: 'entity', entityId: '__proto__', reason: '', expected: 0 },
  {
    kind: 'search',
    query: { by: 'name', text: 'a' },
    page: { index: 0, next: null },
    reason: '',
    expected: 0,
  },
];
const profile = fc.nat({ max: 400 });
const exchangeIn = (shapes: fc.Arbitrary<number>) =>
  fc
    .record({
      shape: shapes,
      call: fc.constantFrom(...calls),
      status: fc.oneof(
        { weight: 3, arbitrary: fc.constant(200) },
        { weight: 1, arbitrary: fc.constantFrom(400, 403, 404, 410, 429, 503) },
        { weight: 1, arbitrary: fc.integer({ min: 100, max: 999 }) },
      ),
      headers,
      body,
      fitting: fc.option(fc.tuple(json, json)),
    })
    .map(({ fitting, ...given }) =>
      fitting === null ? given : { ...given, body: fittingBody(given.shape, given.call, fitting) },
    );

/** A body with the values that the dialect expects, among random ones. */
function fittingBody(seed: number, call: Call, [first, second]: readonly unknown[]): Buffer {
  const { search, entity } = clientDialect(randomProfile(seed));
  const places = call.kind === 'search' ? search : entity;
  const id = call.kind === 'entity' ? call.entityId : 'C1';
  const whole = (value: unknown) => (isJsonObject(value as Json) ? (structuredClone(value) as Json) : {});
  try {
    const named = placedAt(
      placedAt(whole(first), places.name ?? '/name', second as Json),
      places.id ?? '/id',
      id,
    );
    if (call.kind !== 'search')
      return Buffer.from(stringifyJson(placedAt(whole(second), entity.root, named)));
    const item = placedAt({}, search.item, named);
    return Buffer.from(stringifyJson(placedAt(whole(second), search.results, [item, item, second as Json])));
  } catch (error) {
    // The random value replaces the value at the dialect's JSON path.
    if (error instanceof TypeError) return Buffer.from(JSON.stringify(first));
    throw error;
  }
}

export const TARGETS: readonly Target[] = [
  target('headers', 20, headers, (given) => {
    for (const at of [retryAfterMs(given, NOW_MS), rateLimitResetMs(given, NOW_MS)])
      if (at !== null && !Number.isFinite(at)) throw new Error(`not a time: ${at}`);
    nextLink(given);
  }),
  target('json', 20, jsonText, (text) => {
    const once = stringifyJson(parseJson(text));
    if (stringifyJson(parseJson(once)) !== once) throw new Error('a second parse returns another value');
  }),
  target('classify', 10, exchangeIn(profile), ({ shape: seed, call, ...reply }) => {
    const verdict = openClassify(clientDialect(randomProfile(seed)))(call, reply satisfies Reply, {
      nowMs: NOW_MS,
      keyHasWorked: true,
    });
    if ('why' in verdict && /\p{Cc}/u.test(verdict.why))
      throw new Error(`control characters in ${verdict.why}`);
  }),
  target(
    'configuration',
    1,
    fc.tuple(
      fc.constantFrom(...configurations()),
      fc.nat(),
      fc.string({ maxLength: 8 }),
      fc.nat({ max: 20 }),
    ),
    edited,
  ),
  loading(),
];

function target<T>(
  name: string,
  weight: number,
  arbitrary: fc.Arbitrary<T>,
  property: (value: T) => void,
): Target {
  return {
    name,
    weight,
    check: ({ seed, runs }) => {
      const result = fc.check(fc.property(arbitrary, property), { seed, numRuns: runs });
      if (!result.failed) return null;
      return `${name}, seed ${seed}, path ${result.counterexamplePath}: ${fc.stringify(result.counterexample)}: ${String(result.errorInstance)}`;
    },
  };
}

/** Any response must be loaded or quarantined, and stored byte for byte. */
function loading(): Target {
  return {
    name: 'load',
    weight: 4,
    check: (options) => {
      const folder = mkdtempSync(join(tmpdir(), 'registry-mirror-fuzz-'));
      const warehouse = openWarehouse({ path: join(folder, 'warehouse.db'), nowMs: NOW_MS });
      const dialect = clientDialect(randomProfile(LOADED_SHAPE));
      const classify = openClassify(dialect);
      const runId = startRun(warehouse.db, { command: 'fuzz', owner: null, nowMs: NOW_MS });
      const loader = new Loader({ warehouse, dialect, runId });
      const answers = answerTable(warehouse.db);
      let callId = 0;
      const loaded = target('load', 1, exchangeIn(fc.constant(LOADED_SHAPE)), ({ call, ...reply }) => {
        callId += 1;
        const verdict = classify(call, reply, { nowMs: NOW_MS, keyHasWorked: true });
        const sentAt = new Date(NOW_MS + callId).toISOString();
        loader.load([{ callId, call, sentAt, durationMs: 1, ...reply, verdict }]);
        if (answers.body(callId)?.equals(reply.body) !== true) throw new Error('the stored body differs');
      });
      try {
        const found = loaded.check(options);
        const check = String(warehouse.db.pragma('integrity_check', { simple: true }));
        return found ?? (check === 'ok' ? null : `load, seed ${options.seed}: ${check}`);
      } finally {
        warehouse.close();
        rmSync(folder, { recursive: true, force: true });
      }
    },
  };
}

function spliced([text, at, bytes]: [string, number, Uint8Array]): Buffer {
  const whole = Buffer.from(text);
  const cut = at % (whole.length + 1);
  return Buffer.concat([whole.subarray(0, cut), bytes, whole.subarray(Math.min(cut + 1, whole.length))]);
}

/** Any configuration must be accepted, or rejected with a message. */
function edited([text, at, inserted, removed]: [string, number, string, number]): void {
  const cut = at % (text.length + 1);
  const changed = text.slice(0, cut) + inserted + text.slice(cut + removed);
  try {
    parseConfig({ path: '/nowhere/registry-mirror.yaml', text: changed, env: {} });
  } catch (error) {
    if (!(error instanceof MirrorError)) throw error;
  }
}

function configurations(): string[] {
  return [
    `version: 1
upstream: { base_url: https://registry.example/api, api_key: "k", timeouts: { connect: 5s, response: 30s }, max_body: 8MiB }
account: { id: main, tier: paid, license_ends: 2027-03-31 }
allowance: { per_minute: 10, total: 100, per_day: 1000, day_starts: "00:00 Europe/Oslo", reserve: 0.1 }
dialect:
  search: { query_param: q, paging: { style: page, param: page, first: 1 }, results: /results, id: /id, name: /name }
  entity: { root: /data, id: /id, gone: { at: /class, is: Deleted } }
  responses:
    - { status: 403, at: /error/message, matches: "rate", means: throttled }
max_age: { stats: 7d, summaries: 30d, records: 90d }
schedule: { timezone: Europe/Oslo, stats: "7 3 * * *" }
`,
  ];
}
