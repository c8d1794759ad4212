// npm run trust echo
// An upstream repeats the key in each encoding, in records, search results, statistics, error bodies and headers. The
// key must not appear in any of the mirror's files (including the WAL), nor in an export, backup, output, page or
// argument list.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { generateRegistry } from '../../data/generate.ts';
import { faulty } from '../support/faults.ts';
import { openUpstream } from '../support/upstream.ts';
import { CANARY, CANARY_FORMS, filesWithCanary, holdsCanary, telltale, WELL_FORMED } from './canary.ts';

let sent = 0;
const upstream = await openUpstream({
  companies: [...generateRegistry({ companies: 200, seed: 3 })],
  accounts: [{ id: 'main', key: CANARY }],
  // The first responses are correct, so that the mirror has statistics, search results and records.
  faults: faulty(() => (sent++ < 60 || sent % 2 === 0 ? WELL_FORMED : telltale(sent))),
  latencyMs: 2,
});
try {
  // An open reader prevents the end of a run from deleting the WAL.
  await upstream.cli('sync', '--max-calls', '1');
  const reader = upstream.warehouse();
  reader.exec('BEGIN');
  reader.prepare('SELECT count(*) FROM _call').get();
  const running = upstream.start('sync', '--max-minutes', '0.2');
  await upstream.arrived(20, running);
  const texts = [readFileSync(`/proc/${running.process.pid}/cmdline`, 'utf8')];
  const { stdout, stderr } = await running.finished;
  texts.push(stdout, stderr);
  const out = join(upstream.folder, 'out');
  const commands = [
    ['status'],
    ['quarantine', 'list'],
    ['history'],
    ['backup', join(out, 'backup.db')],
    ...['csv', 'jsonl', 'parquet'].map((format) => [
      'export',
      '--format',
      format,
      '--out',
      join(out, format),
    ]),
  ];
  for (const command of commands) {
    const result = await upstream.cli(...command);
    texts.push(result.stdout, result.stderr);
  }
  const stored = upstream.warehouse();
  const kinds = stored.prepare('SELECT kind, outcome, count(*) AS calls FROM _call GROUP BY 1, 2').all();
  const rows = stored.prepare('SELECT count(*) FROM entity').pluck().get();
  stored.close();
  const files = filesWithCanary(upstream.folder, [upstream.configPath]);
  const sightings = files.length + texts.filter(holdsCanary).length;
  reader.close();
  process.stdout.write(
    `${JSON.stringify({ encodings: CANARY_FORMS.length, arrivals: upstream.sandbox.arrivals().length, kinds, records: rows, files, sightings })}\n`,
  );
  process.exitCode = sightings === 0 ? 0 : 1;
} finally {
  await upstream.close();
}
