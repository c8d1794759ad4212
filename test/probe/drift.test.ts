import { afterEach, describe, expect, it } from 'vitest';
import type { ApiProfileInput } from '../../src/api/api_profile.ts';
import { requireDialect } from '../../src/config/config.ts';
import { openWorkspace } from '../../src/operations/assemble.ts';
import { checkStored } from '../../src/operations/dialect_check.ts';
import { type Sandbox, startSandbox } from '../../src/sandbox/sandbox.ts';
import { latestAnswers } from '../../src/warehouse/answered_calls.ts';
import { type Mirrored, type Place, placeFor, probeAt, syncAt } from '../support/probe.ts';
import { companiesFor } from '../support/probe_companies.ts';

const closing: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

describe('drift', () => {
  const changes: [string, ApiProfileInput, string, readonly object[]][] = [
    [
      'the list moves to another path',
      { dialect: { search: { results: '/data/hits' } } },
      'no list of results',
      [{ key: 'search.results', from: '/results', to: '/data/hits' }],
    ],
    [
      'the id in a row gets another name',
      { dialect: { search: { id: '/company_number' } } },
      'no id at /id',
      [{ key: 'search.id', from: '/id', to: '/company_number' }],
    ],
    [
      'records are wrapped in a new envelope',
      { dialect: { entity: { root: '/data' } } },
      'the record has no id',
      [{ key: 'entity.root', from: '', to: '/data' }],
    ],
  ];

  it.each(changes)(
    'drift ends the run after a few calls and causes a proposed change if %s',
    async (_change, profile, reason, expected) => {
      const { place, sandbox } = await probedPlace();
      await sandbox.useProfile(profile);
      const before = sandbox.arrivals().length;
      const run = await syncAt(
        { ...place.config(), focus: kindOf(profile) === 'search' ? 'coverage' : 'records' },
        60,
      );
      expect(run.ended).toContain('drift');
      expect(run.ended).toContain(reason);
      const affected = sandbox
        .arrivals()
        .slice(before)
        .filter(({ kind }) => kind === kindOf(profile));
      // Searches without matches do not show where the rows are in the body.
      expect(affected.length).toBeLessThanOrEqual(20);
      expect(proposalsIn(place)).toEqual(
        expect.arrayContaining(expected.map((change) => expect.objectContaining(change))),
      );
    },
  );

  it('drift marks no company as gone if known records return 404', async () => {
    const { place, sandbox } = await probedPlace();
    await syncAt(place.config(), 12);
    await sandbox.useProfile({ paths: { entity: '/api/company/{id}' } });
    const run: Mirrored = await syncAt(place.config(), 60);
    expect(run.ended).toContain('returned 404');
    expect(run.gone).toBe(0);
  });
});

function kindOf(profile: ApiProfileInput): string {
  return profile.dialect?.entity === undefined ? 'search' : 'entity';
}

async function probedPlace(): Promise<{ place: Place; sandbox: Sandbox }> {
  const sandbox = await startSandbox({ companies: await companiesFor({}, 160) });
  const place = placeFor(sandbox.baseUrl, sandbox.keyOf('main'));
  closing.push(() => sandbox.close(), place.remove);
  await probeAt(place);
  return { place, sandbox };
}

function proposalsIn(place: Place) {
  const workspace = openWorkspace(place.config());
  try {
    return checkStored(requireDialect(place.config()), latestAnswers(workspace.warehouse.db, 50)).proposals;
  } finally {
    workspace.close();
  }
}
