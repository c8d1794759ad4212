import { randomBytes } from 'node:crypto';
import { type Clock, isoTime } from '../clock.ts';
import type { Config } from '../config/config.ts';
import { readLines } from '../config/line_list.ts';
import type { Receiver } from '../config/receiver.ts';
import { HOUR_MS, MINUTE_MS } from '../durations.ts';
import { changedFields, Deliveries, type DeliveryRow, newCompanies } from '../warehouse/deliveries.ts';
import { lastVersion } from '../warehouse/feed/versions.ts';
import type { Warehouse } from '../warehouse/warehouse.ts';
import { type Attempted, type Message, postWebhook, runProgram, sendMail } from './delivery.ts';
import { type Digest, digestFor, digestText } from './digest.ts';

/** The warehouse that stores the digests, and the configured receivers. */
export interface Notifier {
  readonly warehouse: Warehouse;
  readonly clock: Clock;
  readonly config: Pick<Config, 'source' | 'notify'>;
}

/** How a run ended, for the `health` event. */
interface RunEnd {
  readonly healthy: boolean;
  readonly ended: string;
  readonly why: string | null;
}

/** Registers new receivers, which get only later changes. */
export function registerReceivers({ warehouse, config }: Omit<Notifier, 'clock'>): void {
  const table = new Deliveries(warehouse.db);
  warehouse.write(() => {
    for (const { name } of config.notify) table.receiver(name);
  });
}

/**
 * Stores one digest for each receiver, with the changes since that receiver's last digest. The caller holds the
 * warehouse's lock.
 */
export function storeDigests({ warehouse, clock, config }: Notifier, end: RunEnd): void {
  const { db } = warehouse;
  const table = new Deliveries(db);
  const at = isoTime(clock.now());
  warehouse.write(() => {
    const last = lastVersion(db);
    for (const receiver of config.notify) {
      const { version, isHealthy, disabledAt } = table.receiver(receiver.name);
      // A disabled receiver gets no digests. After it is enabled again, one digest contains all changes since its last
      // one.
      if (disabledAt !== null) continue;
      const watched = watchedIds(receiver);
      // A digest without its watchlist waits for the next run. The configuration names the missing file by then.
      if (watched === 'unreadable') continue;
      const since = Math.min(version, last);
      const digest = digestFor(receiver, watched, {
        companies: newCompanies(db, since),
        fields: changedFields(db, since),
        health: end.healthy === (isHealthy === 1) ? null : end,
      });
      if (digest !== null) addDelivery(table, receiver, { source: config.source.name, at, digest });
      table.digested(receiver.name, last, end.healthy);
    }
  });
}

function addDelivery(
  table: Deliveries,
  { name }: Receiver,
  { source, at, digest }: { source: string; at: string; digest: Digest },
): void {
  const id = newId();
  table.add(
    id,
    name,
    JSON.stringify({ id, type: 'registry.digest', timestamp: at, data: { source, ...digest } }),
    at,
  );
}

function newId(): string {
  return `msg_${randomBytes(16).toString('hex')}`;
}

/** Returns the ids on the receiver's watchlist; null if it watches all companies. */
function watchedIds({ watchlist }: Receiver): ReadonlySet<string> | null | 'unreadable' {
  if (watchlist === null) return null;
  try {
    return new Set(readLines(watchlist));
  } catch {
    return 'unreadable';
  }
}

interface Delivered {
  readonly delivered: number;
  readonly failed: number;
}

/**
 * Attempts every due delivery once. Each attempt is stored before it begins, with the time of the next attempt. A kill
 * therefore only delays the delivery, which a later process repeats with the same id. If the last attempt fails, the
 * receiver is disabled.
 */
export async function deliverDue(notifier: Notifier): Promise<Delivered> {
  const { warehouse, clock, config } = notifier;
  const table = new Deliveries(warehouse.db);
  let delivered = 0;
  let failed = 0;
  for (const row of table.due(isoTime(clock.now()))) {
    const receiver = config.notify.find(({ name }) => name === row.receiver);
    if (receiver === undefined || table.find(receiver.name)?.disabledAt != null) continue;
    const nowMs = clock.now();
    const delayMs = RETRY_AFTER_MS[row.attempts] ?? LAST_DELAY_MS;
    if (!table.claim(row.deliveryId, isoTime(nowMs), isoTime(nowMs + delayMs))) continue;
    const result = await attempt(notifier, receiver, { id: row.deliveryId, body: row.body });
    if (result.is === 'delivered') table.delivered(row);
    else noteFailure(table, row, result, isoTime(clock.now()));
    if (result.is === 'delivered') delivered += 1;
    else failed += 1;
  }
  return { delivered, failed };
}

/**
 * The delays before the second and later attempts, as recommended by Standard Webhooks. Including LAST_DELAY_MS, the
 * delays add up to about three days.
 */
const RETRY_AFTER_MS = [
  MINUTE_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  14 * HOUR_MS,
  20 * HOUR_MS,
];
const LAST_DELAY_MS = 24 * HOUR_MS;
const MOST_ATTEMPTS = RETRY_AFTER_MS.length + 2;

function noteFailure(
  table: Deliveries,
  { deliveryId, receiver, attempts }: DeliveryRow,
  { why, isFinal }: Attempted & { is: 'failed' },
  at: string,
): void {
  table.failed(deliveryId, why);
  if (isFinal || attempts + 1 >= MOST_ATTEMPTS) table.disable(receiver, at, why);
}

function attempt({ clock, config }: Notifier, receiver: Receiver, message: Message): Promise<Attempted> {
  const { webhook, command, mail } = receiver;
  if (webhook !== undefined) return postWebhook(webhook, message, clock.now());
  if (command !== undefined) return runProgram(command, message.body);
  if (mail === undefined) throw new TypeError(`the receiver ${receiver.name} has no delivery method`);
  const { data } = JSON.parse(message.body) as { data: Digest };
  return sendMail(mail, message, digestText(config.source.name, data), new Date(clock.now()));
}

/**
 * Sends a sample message to a receiver immediately. If a disabled receiver accepts it, the receiver is enabled again.
 */
export async function sendSample(notifier: Notifier, receiver: Receiver): Promise<Attempted> {
  const { warehouse, clock, config } = notifier;
  const at = isoTime(clock.now());
  const id = newId();
  const body = JSON.stringify({
    id,
    type: 'registry.test',
    timestamp: at,
    data: { source: config.source.name, ...SAMPLE },
  });
  const result = await attempt(notifier, receiver, { id, body });
  if (result.is === 'delivered') new Deliveries(warehouse.db).enable(receiver.name, at);
  return result;
}

const SAMPLE: Digest = {
  counts: { new: 1, changed: 1, gone: 0 },
  new: [{ entity_id: '00000001', name: 'Sample Company Ltd' }],
  changed: [
    {
      entity_id: '00000002',
      name: 'Another Sample Ltd',
      fields: [
        { path: '/status', before: 'active', after: 'dissolved', observed_at: '2026-01-31T12:00:00.000Z' },
      ],
    },
  ],
  gone: [],
  health: null,
};
