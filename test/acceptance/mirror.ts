// npm run accept mirror -- --data FILE [--where COLUMN=VALUE] [--matches …] [--identifiers …] [--page-size N]
// Mirrors a whole registry with `sync` and compares every record with the sandbox's data.
import { parseArgs } from 'node:util';
import { readCompanies } from '../../src/sandbox/company_file.ts';
import { compareWithUpstream } from '../support/equality.ts';
import { pagesOf } from '../support/presets.ts';
import { openUpstream } from '../support/upstream.ts';

const { values } = parseArgs({
  options: {
    data: { type: 'string' },
    where: { type: 'string' },
    matches: { type: 'string', default: 'token_prefix' },
    identifiers: { type: 'string', default: 'none' },
    'page-size': { type: 'string', default: '50' },
    window: { type: 'string' },
    concurrency: { type: 'string', default: '16' },
  },
});
const size = Number(values['page-size']);
const [column = '', value = ''] = values.where?.split('=') ?? [];
const companies =
  values.data === undefined
    ? undefined
    : await Array.fromAsync(
        readCompanies(values.data, values.where === undefined ? {} : { where: { column, value } }),
      );

const upstream = await openUpstream(
  {
    ...(companies === undefined ? {} : { companies }),
    profile: {
      dialect: {
        search: {
          matches: values.matches as 'token_prefix',
          identifiers: values.identifiers as 'prefix',
          paging: pagesOf(size, values.window === undefined ? null : Number(values.window)),
        },
      },
    },
    keepArrivals: true,
  },
  { upstream: { concurrency: Number(values.concurrency) } },
);
try {
  const started = performance.now();
  const { code, json, stderr } = await upstream.cli('sync', '--json');
  const seconds = (performance.now() - started) / 1000;
  const db = upstream.warehouse();
  const comparison = compareWithUpstream(db, upstream.sandbox);
  db.close();
  const arrivals = upstream.sandbox.arrivals();
  const searches = arrivals.filter(({ kind }) => kind === 'search').length;
  const lowerBound = Math.ceil(comparison.upstream / size);
  process.stdout.write(
    `${JSON.stringify({ code, seconds: Number(seconds.toFixed(1)), data: json?.data, arrivals: arrivals.length, searches, calls_per_lower_bound: Number((searches / lowerBound).toFixed(2)), comparison }, null, 2)}\n${stderr}`,
  );
  const isWhole =
    comparison.listed === comparison.upstream &&
    comparison.records === comparison.upstream &&
    comparison.differences.length === 0;
  process.exitCode = code === 0 && isWhole ? 0 : 1;
} finally {
  await upstream.close();
}
