// npm run accept notify -- [--kills 40] [--seed 1]
// Kills `sync` at random times while it sends digests to webhooks, a command and a mail program, some of which fail.
// Every change must reach each receiver in exactly one digest, whose attempts all have the same id and content.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { seededRandom } from '../../src/random.ts';
import { exists } from '../../src/sandbox/company_store.ts';
import { argumentsOf } from '../support/script.ts';
import { companies } from '../support/served_mirror.ts';
import { openUpstream } from '../support/upstream.ts';
import { type Received, startReceivers } from './notify/receivers.ts';

const DAY_MS = 86_400_000;
const MOST_ROUNDS = 30;
/** Receivers that eventually accept every message. */
const ACCEPTING = ['steady', 'flaky', 'slow', 'redirecting', 'command', 'mail'];
const DISABLED = ['gone', 'private', 'redirecting'];

const values = argumentsOf({ kills: 40, seed: 1 });
const random = seededRandom(values.seed);
const registry = companies(12);
const folder = mkdtempSync(join(tmpdir(), 'registry-mirror-notify-'));
const receivers = await startReceivers(folder);
const upstream = await openUpstream(
  { companies: registry },
  { notify: receivers.configuration, max_age: { stats: '1h', summaries: '1h', records: '1h' } },
);
let days = 0;
let kills = 0;
const problems: string[] = [];
try {
  const wholeMs = await send(null);
  while (kills < values.kills) {
    changeRegistry();
    // Half of the kills are timed to hit deliveries, on which a run spends little time.
    await send(
      random.chance(0.5)
        ? { afterMs: random.below(wholeMs) }
        : { afterMs: random.below(10), afterRequests: random.below(9) },
    );
  }
  changeRegistry();
  receivers.hangOnce();
  for (let round = 0; round < MOST_ROUNDS && openDeliveries().length > 0; round++) await send(null);
  await checkDisabled();
  receivers.repair();
  await upstream.cli('notify', 'test', 'redirecting');
  for (let round = 0; round < 2; round++) await send(null);
  for (const name of ACCEPTING) checkReceived(name);
  report();
} finally {
  await receivers.close();
  await upstream.close();
  rmSync(folder, { recursive: true, force: true });
}

function changeRegistry(): void {
  const existing = registry.filter(({ id }) => exists(upstream.sandbox.companies.get(id)));
  const { id, name, fields } = random.pick(existing);
  if (existing.length > 5 && random.chance(0.1)) upstream.sandbox.companies.remove(id, Date.now());
  else upstream.sandbox.companies.put({ id, name, fields: { ...fields, capital: random.below(1e6) } });
}

interface Kill {
  /** The sender is killed after this many more requests to the receivers. */
  readonly afterRequests?: number;
  readonly afterMs: number;
}

/** Runs the sender one day later than before, kills it, and returns how long it ran. */
async function send(kill: Kill | null): Promise<number> {
  const earlier = receivers.counts.requests;
  days += 1;
  const script = join(import.meta.dirname, 'notify/sender.ts');
  const sender = spawn(process.execPath, [script, upstream.configPath, String(days * DAY_MS)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(sender, 'close') as Promise<[number | null, string | null]>;
  await once(sender.stdout, 'data');
  const started = performance.now();
  if (kill !== null) {
    const { afterRequests = 0, afterMs } = kill;
    while (sender.exitCode === null && receivers.counts.requests < earlier + afterRequests)
      await setTimeout(1);
    await Promise.race([setTimeout(afterMs), ended]);
    sender.kill('SIGKILL');
  }
  const [code, signal] = await ended;
  if (signal === 'SIGKILL') kills += 1;
  else if (code !== 0) problems.push(`the sender ended with ${code ?? signal}`);
  return performance.now() - started;
}

interface Delivery {
  readonly id: string;
  readonly receiver: string;
  readonly isOpen: 0 | 1;
}

function rows<Row>(sql: string): Row[] {
  const db = upstream.warehouse();
  const found = db.prepare(sql).all() as Row[];
  db.close();
  return found;
}

function deliveries(): Delivery[] {
  return rows('SELECT delivery_id AS id, receiver, next_try_at IS NOT NULL AS isOpen FROM _delivery');
}

/** The digests that enabled receivers have not received yet. */
function openDeliveries(): unknown[] {
  return rows(`SELECT 1 FROM _delivery JOIN _receiver ON name = receiver
               WHERE next_try_at IS NOT NULL AND disabled_at IS NULL`);
}

/** Checks that `status` and `doctor` report the disabled receivers. */
async function checkDisabled(): Promise<void> {
  const cause = `The receivers ${receivers.configuration
    .map(({ name }) => name)
    .filter((name) => DISABLED.includes(name))
    .join(', ')} are disabled`;
  const status = await upstream.cli('status', '--json');
  const doctor = await upstream.cli('doctor', '--json');
  const found = [status.json.data.health.problems, doctor.json.data.findings].map(
    (list: { cause?: string; what?: string }[]) =>
      list.some(({ cause: stated, what }) => (stated ?? what)?.startsWith(cause)),
  );
  if (found.includes(false)) problems.push(`status and doctor do not both report: ${cause}`);
}

/** Checks that the receiver got every digest, and that each change is in exactly one digest. */
function checkReceived(name: string): void {
  // A killed sender may have written only part of a message to a program, without an id.
  const messages = receivers
    .received(name)
    .filter(({ id, body }) => (name === 'mail' ? id !== '' : isDigest(body)));
  const bodies = new Map(messages.map(({ id, body }) => [id, body]));
  const stored = deliveries().filter(({ receiver }) => receiver === name);
  const missing = stored.filter(({ id, isOpen }) => isOpen === 1 || !bodies.has(id));
  if (missing.length > 0) problems.push(`${name}: ${missing.length} of ${stored.length} digests are missing`);
  const unknown = [...bodies.keys()].filter((id) => !stored.some((delivery) => delivery.id === id));
  if (unknown.length > 0) problems.push(`${name}: ${unknown.length} digests have an unknown id`);
  if (name === 'mail') return;
  if (messages.some(({ id, body }) => bodies.get(id) !== body))
    problems.push(`${name}: two attempts with the same id differ`);
  const reported = [...bodies.values()].flatMap(eventsIn).sort();
  const expected = expectedEvents().sort();
  if (reported.join('\n') !== expected.join('\n'))
    problems.push(`${name}: ${reported.length} events in digests, ${expected.length} in the warehouse`);
}

function isDigest(body: string): boolean {
  return body.endsWith('}') && JSON.parse(body).type === 'registry.digest';
}

/** Every new, changed and gone company in a digest, one line each. */
function eventsIn(body: string): string[] {
  const { data } = JSON.parse(body);
  return [
    ...data.new.map((company: { entity_id: string }) => `new ${company.entity_id}`),
    ...data.gone.map((company: { entity_id: string }) => `gone ${company.entity_id}`),
    ...data.changed.flatMap(
      (company: { entity_id: string; fields: { path: string; observed_at: string }[] }) =>
        company.fields.map(({ path, observed_at }) => `changed ${company.entity_id} ${path} ${observed_at}`),
    ),
  ];
}

function expectedEvents(): string[] {
  return rows<{ event: string }>(
    `SELECT 'new ' || entity_id AS event FROM entity_overview
     UNION ALL SELECT 'gone ' || entity_id FROM entity_change WHERE path = '_gone_at' AND after IS NOT NULL
     UNION ALL SELECT 'changed ' || entity_id || ' ' || path || ' ' || observed_at FROM entity_change
       WHERE path <> '_gone_at'`,
  ).map(({ event }) => event);
}

function report(): void {
  const { badSignatures, redirectsFollowed, private: connections } = receivers.counts;
  if (badSignatures + redirectsFollowed + connections > 0)
    problems.push(`wrong requests: ${JSON.stringify(receivers.counts)}`);
  process.stdout.write(
    `${kills} kills in ${days} runs, ${expectedEvents().length} events, ${JSON.stringify(receivers.counts)}\n`,
  );
  for (const { name } of receivers.configuration) {
    const digests = deliveries().filter(({ receiver }) => receiver === name);
    const open = digests.filter(({ isOpen }) => isOpen === 1).length;
    const messages: Received[] = receivers.received(name).filter(({ id }) => id !== '');
    const repeated = messages.length - new Set(messages.map(({ id }) => id)).size;
    process.stdout.write(
      `${name.padEnd(12)} ${digests.length} digests, ${open} open, ${messages.length} messages, ${repeated} of them repeated\n`,
    );
  }
  for (const problem of problems) process.stdout.write(`PROBLEM: ${problem}\n`);
  process.exitCode = problems.length === 0 ? 0 : 1;
}
