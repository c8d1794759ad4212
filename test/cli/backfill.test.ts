import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { afterEach, describe, expect, it } from 'vitest';
import { generateRegistry } from '../../data/generate.ts';
import { FIRST_PAGE, targetOf } from '../../src/call.ts';
import type { SandboxOptions } from '../../src/sandbox/sandbox.ts';
import { setFailure } from '../../src/warehouse/failure.ts';
import { openWarehouse } from '../../src/warehouse/warehouse.ts';
import { runCommand } from '../support/command.ts';
import { pagesOf } from '../support/presets.ts';
import { companiesFor } from '../support/probe_companies.ts';
import { untidyList } from '../support/untidy_list.ts';
import { type Overrides, openUpstream, type Upstream } from '../support/upstream.ts';

let open: Upstream | null = null;

afterEach(async () => {
  await open?.close();
  open = null;
});

describe('backfill --ids', () => {
  it('backfill --ids fetches each id on an untidy list only once, and reports on every line', async () => {
    const upstream = await place();
    const list = untidyList(idsOf(upstream).slice(0, 120));
    const report = file(upstream, 'report.csv');
    const args = [
      '--ids',
      written(upstream, 'list.csv', list.text),
      '--column',
      'company number',
      '--report',
      report,
    ];
    const { json, stderr } = await upstream.cli('backfill', ...args);
    expect(json).toMatchObject({
      ok: true,
      data: { found: 120, not_found: list.unknown.length, open: 0, failed: 0, run: { ended: 'done' } },
    });
    expect(asked(upstream).sort()).toEqual([...list.valid, ...list.unknown].sort());
    const rows = reportIn(report);
    expect(rows.map(({ given }) => given).sort()).toEqual([...list.valid, ...list.unknown].sort());
    expect(rows.filter(({ state }) => state === 'found').every(({ name }) => name !== '')).toBe(true);
    expect(stderr).toBe('');
  });

  it('backfill --ids continues with the same command or with --resume', async () => {
    const upstream = await place();
    const ids = idsOf(upstream).slice(0, 30);
    const list = written(upstream, 'ids.txt', ids.join('\n'));
    const first = await upstream.run('backfill', '--ids', list, '--max-calls', '10');
    expect(first.json.data).toMatchObject({
      found: 10,
      open: 20,
      run: { ended: 'max_calls', calls_spent: 10 },
    });
    const second = await upstream.run('backfill', '--ids', list, '--max-calls', '10');
    expect(second.json.data).toMatchObject({ backfill_id: first.json.data.backfill_id, found: 20, open: 10 });
    const listed = await upstream.run('backfill', '--list');
    expect(listed.json.data.unfinished).toMatchObject([
      { title: '30 ids from ids.txt', found: 20, open: 10 },
    ]);
    const third = await upstream.run('backfill', '--resume');
    expect(third.json.data).toMatchObject({ found: 30, open: 0, run: { ended: 'done' } });
    expect(third.json.data.finished_at).not.toBeNull();
    expect(new Set(asked(upstream)).size).toBe(30);
    expect(asked(upstream)).toHaveLength(30);
  });

  it('backfill --ids skips fresh records unless --again is given', async () => {
    const upstream = await place();
    const ids = idsOf(upstream).slice(0, 12);
    const some = written(upstream, 'some.txt', ids.slice(0, 5).join('\n'));
    const all = written(upstream, 'all.txt', ids.join('\n'));
    await upstream.run('backfill', '--ids', some);
    expect((await upstream.run('backfill', '--ids', all)).json.data).toMatchObject({ fresh: 5, found: 7 });
    expect(asked(upstream)).toHaveLength(12);
    expect((await upstream.run('backfill', '--ids', all)).json.data).toMatchObject({
      fresh: 12,
      run: { calls_spent: 0, ended: 'done' },
    });
    expect((await upstream.run('backfill', '--ids', all, '--again')).json.data).toMatchObject({ found: 12 });
    expect(asked(upstream)).toHaveLength(24);
  });

  it("a finished backfill's report can be printed again as CSV or JSON Lines", async () => {
    const upstream = await place();
    const [id = ''] = idsOf(upstream);
    await upstream.run('backfill', '--ids', written(upstream, 'ids.txt', `${id}\n=cmd|x\n`));
    const lines = file(upstream, 'report.jsonl');
    const again = await upstream.run('backfill', '--resume', '1', '--report', lines);
    expect(again.json).toMatchObject({ ok: true, data: { found: 1, not_found: 1 } });
    expect(
      readFileSync(lines, 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toMatchObject([
      { position: 1, given: id, state: 'found', entity_id: id },
      { position: 2, given: '=cmd|x', state: 'not_found', entity_id: '=cmd|x' },
    ]);
  });

  it('backfill names what was not found, and says how many calls are reserved', async () => {
    const upstream = await place({}, { allowance: { per_minute: 'unlimited', per_day: 50, reserve: 0.2 } });
    const [id = ''] = idsOf(upstream);
    const list = written(upstream, 'ids.txt', `# mine\n${id}\nNO-SUCH-ID\n`);
    const { json } = await upstream.run('backfill', '--ids', list);
    expect(json.data).toMatchObject({
      run: { calls_spent: 2 },
      unmatched: [{ given: 'NO-SUCH-ID', state: 'not_found' }],
    });
    const args = ['backfill', '--ids', list, '--again', '--config', upstream.configPath];
    const { stdout } = await runCommand(args);
    expect(stdout).toMatch(/not found {2}1\n +NO-SUCH-ID\n/);
    expect(stdout).toMatch(/\d+ calls left, 10 of them reserved for scheduled runs/);
  });

  it('the progress of a backfill shows its calls, not the remaining quota', async () => {
    const upstream = await place({}, { allowance: { per_minute: 300, per_day: 50 } });
    const list = written(upstream, 'ids.txt', idsOf(upstream).slice(0, 4).join('\n'));
    const args = ['backfill', '--yes', '--ids', list, '--config', upstream.configPath];
    const { stderr } = await runCommand(args, { columns: 80, env: { CI: '' } });
    expect(stderr).toMatch(/\r\S*\d calls? ·/);
    expect(stderr).not.toContain(' of 45 calls');
  });

  it('the progress of a sync shows the limit on its calls', async () => {
    const upstream = await place({}, { allowance: { per_minute: 300, per_day: 50 } });
    const args = ['sync', '--max-calls', '4', '--config', upstream.configPath];
    const { stderr } = await runCommand(args, { columns: 80, env: { CI: '' } });
    expect(stderr).toMatch(/\r\S*\d of at most 4 calls ·/);
  });

  it('backfill --ids does not spend the reserve, which is for scheduled runs', async () => {
    const upstream = await place({}, { allowance: { per_minute: 'unlimited', per_day: 50, reserve: 0.2 } });
    const list = written(upstream, 'ids.txt', idsOf(upstream).slice(0, 60).join('\n'));
    const { json, code } = await upstream.run('backfill', '--ids', list);
    expect(json.data).toMatchObject({ found: 40, open: 20, run: { ended: 'allowance', calls_left: 10 } });
    expect(code).toBe(0);
    expect((await upstream.run('backfill', '--ids', list, '--strict')).code).toBe(75);
    await upstream.run('sync');
    expect(upstream.sandbox.arrivals()).toHaveLength(50);
  });
});

describe('a backfill during scheduled runs', () => {
  it('a backfill pauses for a sync, and resumes after the sync has ended', async () => {
    const upstream = await place({ latencyMs: 120 });
    const ids = idsOf(upstream).slice(0, 300);
    const list = written(upstream, 'ids.txt', ids.join('\n'));
    const backfill = upstream.start('backfill', '--ids', list, '--max-calls', '200');
    await upstream.arrived(40, backfill);
    const sync = await upstream.run('sync', '--max-calls', '3');
    expect(sync.json.data).toMatchObject({ ended: 'max_calls', calls_spent: 3 });
    expect(backfill.process.exitCode).toBeNull();
    const { json } = await backfill.finished;
    // Both runs of the backfill share its limit.
    expect(json.data.run).toMatchObject({ ended: 'max_calls', calls_spent: 200 });
    const db = upstream.warehouse();
    const runs = db.prepare('SELECT command, ended FROM _run ORDER BY run_id').all();
    db.close();
    expect(runs).toEqual([
      { command: 'backfill', ended: 'stood_aside' },
      { command: 'sync', ended: 'max_calls' },
      { command: 'backfill', ended: 'max_calls' },
    ]);
  });
});

describe('backfill --names', () => {
  it('backfill --names finds exact names, reports similar ones, and fetches the found records', async () => {
    const companies = [...generateRegistry({ companies: 600, seed: 5 })].map((company, at) => ({
      ...company,
      name: at === 0 ? 'Laxey Glen Mills Limited' : at < 3 ? 'Twin Brothers AS' : company.name,
    }));
    const upstream = await place({
      companies,
      profile: { dialect: { search: { matches: 'token_prefix' } } },
    });
    const given = [
      'LAXEY GLEN MILLS LIMITED',
      'Twin Brothers AS',
      'Laxy Glen Mils Limited',
      'Quite Another Thing Ltd',
    ];
    const report = file(upstream, 'report.csv');
    const { json } = await upstream.run(
      'backfill',
      '--names',
      written(upstream, 'names.txt', given.join('\n')),
      '--report',
      report,
    );
    expect(json.data).toMatchObject({ found: 1, ambiguous: 2, not_found: 1, open: 0 });
    const [exact, twins, misspelt] = reportIn(report);
    expect(exact).toMatchObject({ state: 'found', entity_id: companies[0]?.id });
    expect(twins).toMatchObject({ state: 'ambiguous', note: '2 companies have this name' });
    expect(misspelt).toMatchObject({ state: 'ambiguous', entity_id: '', note: 'only similar names' });
    expect(misspelt?.candidates).toContain(companies[0]?.id);
    expect(asked(upstream)).toEqual([companies[0]?.id]);
  });

  it('backfill --names spends one call on a name that no company has', async () => {
    const upstream = await place();
    await upstream.run('sync', '--max-calls', '2');
    const before = upstream.sandbox.arrivals().length;
    const { json } = await upstream.run('backfill', '--names', written(upstream, 'names.txt', 'Zyqqwort AG'));
    expect(json.data).toMatchObject({ not_found: 1, open: 0 });
    expect(upstream.sandbox.arrivals()).toHaveLength(before + 1);
  });

  it('a stopped and resumed backfill --names sends no call twice', async () => {
    const upstream = await place({ companies: [...generateRegistry({ companies: 800, seed: 6 })] });
    const names = [...upstream.sandbox.companies.all()]
      .filter((_, at) => at % 9 === 0)
      .map(({ name }) => name);
    const list = written(upstream, 'names.txt', names.join('\n'));
    for (let round = 0; round < 60; round++) {
      const { json } = await upstream.run('backfill', '--names', list, '--max-calls', '25');
      if (json.data.run.ended === 'done') break;
    }
    const targets = upstream.sandbox.arrivals().map(({ kind, target }) => `${kind} ${target}`);
    expect(targets.filter((target, at) => targets.indexOf(target) !== at)).toEqual([]);
    const { json } = await upstream.run('backfill', '--resume', '1');
    expect(json.data.open).toBe(0);
    expect(json.data.found + json.data.ambiguous).toBe(new Set(names).size);
  });
});

describe('backfill by search', () => {
  it('backfill by search requests all pages of a query, and fetches the records of all companies found', async () => {
    const upstream = await place();
    const matching = [...upstream.sandbox.companies.all()].filter(({ name }) =>
      /(^|[^\p{L}\p{M}\p{N}])consult/iu.test(name),
    );
    const { json } = await upstream.run('backfill', '--query', 'consult');
    const { stdout } = await runCommand(['backfill', '--query', 'consult', '--config', upstream.configPath]);
    expect(stdout).toContain(`consult: ${matching.length} companies\n`);
    expect(matching.length).toBeGreaterThan(20);
    expect(json.data).toMatchObject({ found: 1, open: 0, run: { records: matching.length } });
    expect(asked(upstream).sort()).toEqual(matching.map(({ id }) => id).sort());
  });

  it('backfill by search splits a prefix that has more matches than the cap', async () => {
    const upstream = await place({
      companies: await companiesFor({}, 1_000),
      profile: {
        dialect: { search: { matches: 'prefix', identifiers: 'prefix', paging: pagesOf(100, 20) } },
      },
    });
    const named = [...upstream.sandbox.companies.all()].filter(({ name }) => /^n/i.test(name));
    const names = await upstream.run('backfill', '--prefix', 'N', '--no-records');
    const db = upstream.warehouse();
    const listed = db.prepare("SELECT count(*) FROM _company WHERE name LIKE 'n%'").pluck().get();
    db.close();
    expect(named.length).toBeGreaterThan(40);
    expect(listed).toBe(named.length);
    expect(names.json.data).toMatchObject({ found: 1, run: { records: 0, ended: 'done' } });
  });
});

describe('backfill of known companies', () => {
  it('a backfill of known companies fetches missing and old records', async () => {
    const upstream = await place({ companies: [...generateRegistry({ companies: 60, seed: 2 })] });
    await upstream.run('backfill', '--prefix', '0', '--query', 'a', '--no-records');
    const db = upstream.warehouse();
    const known = db.prepare('SELECT count(*) FROM _company').pluck().get();
    db.close();
    const missing = await upstream.run('backfill', '--missing');
    expect(missing.json.data).toMatchObject({ found: known, title: `${known} companies without a record` });
    const old = await upstream.run('backfill', '--stale', '0d', '--max-calls', '5');
    expect(old.json.data).toMatchObject({ found: 5, open: Number(known) - 5 });
    const rest = await upstream.run('backfill', '--stale', '0d');
    expect(rest.json.data).toMatchObject({ backfill_id: old.json.data.backfill_id, open: 0 });
    const none = await upstream.run('backfill', '--stale', '30d');
    expect(none.json.data).toMatchObject({ title: '0 records older than 30 days', run: { calls_spent: 0 } });
  });
});

describe('the backfill command', () => {
  it('the backfill command prints nothing with --quiet unless a problem occurs', async () => {
    const upstream = await place();
    const list = written(upstream, 'ids.txt', idsOf(upstream).slice(0, 5).join('\n'));
    const { stdout, stderr, code } = await upstream.run('backfill', '--ids', list, '--quiet');
    expect({ stdout, stderr, code }).toEqual({ stdout: '', stderr: '', code: 0 });
  });

  it('backfill --failed sends a query that ends like a page number unchanged', async () => {
    const upstream = await place();
    await upstream.run('sync', '--max-calls', '1');
    const { db, close } = openWarehouse({ path: file(upstream, 'warehouse.db'), nowMs: Date.now() });
    const failure = {
      kind: 'search',
      tries: 1,
      failedAt: '2026-01-01',
      nextTryAt: '2026-01-01',
      callId: 1,
    } as const;
    for (const [text, index] of [
      ['unit #1', 0],
      ['unit #2', 3],
      ['unit', 4],
    ] as const) {
      const page = { ...FIRST_PAGE, index };
      const call = { kind: 'search', query: { by: 'name', text }, page, reason: '', expected: 0 } as const;
      setFailure(db, { ...failure, target: targetOf(call), why: 'HTTP 500' });
    }
    close();
    const report = file(upstream, 'report.csv');
    await upstream.run('backfill', '--failed', '--max-calls', '0', '--yes', '--report', report);
    const given = reportIn(report).map((row) => row.given);
    expect(given.toSorted()).toEqual(['unit', 'unit #1', 'unit #2']);
  });

  it('the backfill command cancels a backfill', async () => {
    const upstream = await place();
    const list = written(upstream, 'ids.txt', idsOf(upstream).slice(0, 5).join('\n'));
    await upstream.run('backfill', '--ids', list, '--max-calls', '1');
    expect((await upstream.run('backfill', '--cancel', '1')).json.data.cancelled).toBe(true);
    expect((await upstream.run('backfill', '--list')).json.data.unfinished).toEqual([]);
    expect((await upstream.run('backfill', '--resume', '1')).said).toContain('backfill 1 was cancelled');
  });
});

async function place(options: SandboxOptions = {}, overrides: Overrides = {}): Promise<Upstream> {
  open = await openUpstream(options, overrides);
  return open;
}

function file({ folder }: Upstream, name: string): string {
  return join(folder, name);
}

function written(upstream: Upstream, name: string, text: string): string {
  writeFileSync(file(upstream, name), text);
  return file(upstream, name);
}

function reportIn(path: string): Record<string, string>[] {
  return parse(readFileSync(path, 'utf8'), { columns: true });
}

function asked({ sandbox }: Upstream): string[] {
  return sandbox.arrivals().flatMap(({ kind, target }) => (kind === 'entity' ? [target] : []));
}

function idsOf({ sandbox }: Upstream): string[] {
  return [...sandbox.companies.all()].map(({ id }) => id);
}
