// npm run accept mirror -- --data FILE [--where COLUMN=VALUE] [--matches …] [--identifiers …] [--page-size N]
// Mirrors a whole registry with `sync` and compares every record with the sandbox's data.
import { readCompanies } from '../../src/sandbox/company_file.ts';
import { compareWithUpstream } from '../support/equality.ts';
import { pagesOf } from '../support/presets.ts';
import { argumentsOf } from '../support/script.ts';
import { openUpstream } from '../support/upstream.ts';

const values = argumentsOf({
  data: null,
  where: null,
  matches: 'token_prefix',
  identifiers: 'none',
  pageSize: 50,
  window: null,
  concurrency: 16,
});
const size = values.pageSize;
const [column = '', value = ''] = values.where?.split('=') ?? [];
const companies =
  values.data === null
    ? undefined
    : await Array.fromAsync(
        readCompanies(values.data, values.where === null ? {} : { where: { column, value } }),
      );

const upstream = await openUpstream(
  {
    ...(companies === undefined ? {} : { companies }),
    profile: {
      dialect: {
        search: {
          matches: values.matches as 'token_prefix',
          identifiers: values.identifiers as 'prefix',
          paging: pagesOf(size, values.window === null ? null : Number(values.window)),
        },
      },
    },
    keepArrivals: true,
  },
  { upstream: { concurrency: values.concurrency } },
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
