import { describe, expect, it } from 'vitest';
import type { ApiProfile, ApiProfileInput } from '../../src/api/api_profile.ts';
import { isJsonObject, type Json, type JsonObject, parseJson } from '../../src/json/json.ts';
import { type Sandbox, startSandbox } from '../../src/sandbox/sandbox.ts';
import { PROFILE_PRESETS, REGISTRY_PRESETS } from '../support/presets.ts';
import { configWith, type Mirrored, type Place, placeFor, probeAt, syncAt } from '../support/probe.ts';
import { companiesFor } from '../support/probe_companies.ts';
import { randomProfile } from '../support/random_profile.ts';

const COMPANIES = 40;

/**
 * Models of registries whose unusual formats a probe can recognise from responses. All other unusual formats must be
 * configured by hand.
 */
const RECOGNISABLE = ['prh', 'several_results', 'link_list'];

describe('a probed dialect', () => {
  const profiles: [string, ApiProfileInput | ApiProfile][] = [
    // `npm run accept real-apis` and `npm run bench probe -- --mirror` mirror many more.
    ...Object.entries(PROFILE_PRESETS).slice(0, 2),
    ...RECOGNISABLE.map((name): [string, ApiProfileInput] => [name, REGISTRY_PRESETS[name] ?? {}]),
    ...[1, 6].map((seed): [string, ApiProfile] => [`random ${seed}`, randomProfile(seed)]),
  ];

  it.each(profiles)(
    'a mirror with the probed dialect has complete records, and the same companies as one with the correct dialect, for %s',
    async (_name, profile) => {
      await withUpstream(profile, async (sandbox, place) => {
        const { draft, run } = await probeAt(place);
        expect(draft).not.toBeNull();
        expect(run.totals.calls).toBeLessThanOrEqual(16);
        const mirrored = await syncAt(place.config());
        expect(mirrored.ended).toBe('done');
        const missing = await missingFrom(mirrored, sandbox, place);
        // With the rule `token`, the order in which responses arrive determines which unknown words are found.
        expect(missing.length).toBeLessThanOrEqual(sandbox.dialect.search.matches === 'token' ? 4 : 0);
        const keys = new Set(sandbox.dialect.volatile.map((path) => path.slice(1)));
        for (const id of mirrored.known) {
          const document = mirrored.records.get(id);
          expect(document, id).toBeDefined();
          const record = parseJson(sandbox.catalogue.document(id)?.text ?? '');
          expect(withoutKeys(parseJson(document ?? ''), keys)).toEqual(withoutKeys(record, keys));
        }
      });
    },
  );

  it('a probe leaves the remaining quota to sync, which repeats no request', async () => {
    await withUpstream({}, async (sandbox, place) => {
      place.write(place.text().replace('unlimited: true', 'total: 20'));
      const { run } = await probeAt(place);
      const mirrored = await syncAt(place.config());
      expect(run.totals.calls + mirrored.calls).toBe(20);
      expect(mirrored.ended).toBe('allowance');
      const sent = sandbox.arrivals().map(({ kind, target }) => `${kind} ${target}`);
      expect(sent).toHaveLength(20);
      expect(new Set(sent).size).toBe(20);
      expect(mirrored.known.size).toBeGreaterThan(20);
    });
  });

  it('a second probe completes an interrupted one without repeating any request', async () => {
    await withUpstream({}, async (sandbox, place) => {
      const first = await probeAt(place, { maxCalls: 2 });
      expect(first.run.ending.ended).toBe('max_calls');
      expect(first.draft).toBeNull();
      const second = await probeAt(place);
      expect(second.draft).not.toBeNull();
      const sent = sandbox.arrivals().map(({ kind, target }) => `${kind} ${target}`);
      expect(new Set(sent).size).toBe(sent.length);
      expect(first.run.totals.calls + second.run.totals.calls).toBeLessThanOrEqual(11);
    });
  });

  it('a second probe confirms the dialect with at most two calls', async () => {
    await withUpstream({}, async (sandbox, place) => {
      const first = await probeAt(place);
      const second = await probeAt(place);
      // The repeated probe may find the max page size that the first probe left open.
      const { paging } = second.draft?.dialect.search ?? {};
      expect(paging?.size).toBeGreaterThanOrEqual(first.draft?.dialect.search.paging.size ?? 0);
      const search = { ...first.draft?.dialect.search, paging };
      expect(second.draft?.dialect).toEqual({ ...first.draft?.dialect, search });
      const sent = sandbox.arrivals().map(({ kind, target }) => `${kind} ${target}`);
      expect(new Set(sent).size).toBe(sent.length);
      expect(second.run.totals.calls).toBeLessThanOrEqual(2);
    });
  });

  it('the dialect is written to the configuration without removing comments', async () => {
    await withUpstream({}, async (_sandbox, place) => {
      await probeAt(place);
      expect(place.text()).toContain('# kept');
    });
  });
});

async function withUpstream(
  profile: ApiProfileInput | ApiProfile,
  act: (sandbox: Sandbox, place: Place) => Promise<void>,
): Promise<void> {
  const sandbox = await startSandbox({ profile, companies: await companiesFor(profile, COMPANIES) });
  const place = placeFor(sandbox.baseUrl, sandbox.keyOf('main'));
  try {
    await act(sandbox, place);
  } finally {
    await sandbox.close();
    place.remove();
  }
}

/** Returns the companies that a search with the correct dialect finds and that the mirror lacks. */
async function missingFrom({ known }: Mirrored, sandbox: Sandbox, place: Place): Promise<string[]> {
  if (known.size === COMPANIES) return [];
  const correct = configWith(place, sandbox, sandbox.dialect);
  const expected = await syncAt(correct, Number.POSITIVE_INFINITY, new Set(['search']));
  return [...expected.known].filter((id) => !known.has(id));
}

function withoutKeys(record: Json, keys: ReadonlySet<string>): JsonObject {
  if (!isJsonObject(record)) throw new Error('the record is not a JSON object');
  return Object.fromEntries(Object.entries(record).filter(([key]) => !keys.has(key)));
}
