import { describe, expect, it } from 'vitest';
import type { ApiProfile, ApiProfileInput } from '../../src/api/api_profile.ts';
import { PROFILE_PRESETS } from '../../src/sandbox/profile_presets.ts';
import { randomProfile } from '../../src/sandbox/random_profile.ts';
import { type Sandbox, startSandbox } from '../../src/sandbox/sandbox.ts';
import { configWith, type Place, placeFor, probeAt, syncAt } from '../support/probe.ts';
import { companiesFor } from '../support/probe_companies.ts';

const COMPANIES = 160;

describe('probe, then sync, with nothing written by hand', () => {
  const shapes: [string, ApiProfileInput | ApiProfile][] = [
    ...Object.entries(PROFILE_PRESETS),
    ...[1, 6, 18, 28].map((seed): [string, ApiProfile] => [`random ${seed}`, randomProfile(seed)]),
  ];

  it.each(shapes)('mirrors what a dialect written by one who knows would: %s', async (_name, profile) => {
    await withUpstream(profile, async (sandbox, place) => {
      const { draft, run } = await probeAt(place);
      expect(draft).not.toBeNull();
      expect(run.totals.calls).toBeLessThanOrEqual(16);
      const mirrored = await syncAt(place.config());
      const expected = await syncAt(configWith(place, sandbox, sandbox.dialect));
      expect(mirrored.ended).toBe('done');
      // What only words find that nobody has seen is found by luck: the order of answers decides it.
      const missing = [...expected.known].filter((id) => !mirrored.known.has(id));
      expect(missing.length).toBeLessThanOrEqual(sandbox.dialect.search.matches === 'token' ? 6 : 0);
      for (const id of mirrored.known) expect(mirrored.records.has(id), id).toBe(true);
      const volatile = new Set(sandbox.dialect.volatile.map((place) => place.slice(1)));
      for (const [id, document] of expected.records)
        if (mirrored.known.has(id))
          expect(withoutKeys(mirrored.records.get(id), volatile)).toEqual(withoutKeys(document, volatile));
    });
  });

  it('asks for nothing twice, and spends what is left on what is worth most', async () => {
    await withUpstream({}, async (sandbox, place) => {
      place.write(place.text().replace('unlimited: true', 'total: 20'));
      const { run } = await probeAt(place);
      const mirrored = await syncAt(place.config());
      expect(run.totals.calls + mirrored.calls).toBe(20);
      expect(mirrored.ended).toBe('allowance');
      const asked = sandbox.arrivals().map(({ kind, target }) => `${kind} ${target}`);
      expect(asked).toHaveLength(20);
      expect(new Set(asked).size).toBe(20);
      expect(mirrored.known.size).toBeGreaterThan(50);
    });
  });

  it('goes on where it was stopped, and asks again for nothing that is known', async () => {
    await withUpstream({}, async (sandbox, place) => {
      const first = await probeAt(place, { maxCalls: 2 });
      expect(first.run.ending.ended).toBe('max_calls');
      expect(first.draft).toBeNull();
      const second = await probeAt(place);
      expect(second.draft).not.toBeNull();
      const asked = sandbox.arrivals().map(({ kind, target }) => `${kind} ${target}`);
      expect(new Set(asked).size).toBe(asked.length);
      expect(first.run.totals.calls + second.run.totals.calls).toBeLessThanOrEqual(11);
    });
  });

  it('that is repeated asks for nothing that the first one learned', async () => {
    await withUpstream({}, async (sandbox, place) => {
      const first = await probeAt(place);
      const second = await probeAt(place);
      // What was left open, how large a page may be, may be found by then.
      const { paging } = second.draft?.dialect.search ?? {};
      expect(paging?.size).toBeGreaterThanOrEqual(first.draft?.dialect.search.paging.size ?? 0);
      const search = { ...first.draft?.dialect.search, paging };
      expect(second.draft?.dialect).toEqual({ ...first.draft?.dialect, search });
      const asked = sandbox.arrivals().map(({ kind, target }) => `${kind} ${target}`);
      expect(new Set(asked).size).toBe(asked.length);
      expect(second.run.totals.calls).toBeLessThanOrEqual(2);
    });
  });

  it('keeps the comments of a configuration', async () => {
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

function withoutKeys(document: string | undefined, keys: ReadonlySet<string>): unknown {
  const record = JSON.parse(document ?? 'null') as Record<string, unknown> | null;
  return record === null
    ? null
    : Object.fromEntries(Object.entries(record).filter(([key]) => !keys.has(key)));
}
