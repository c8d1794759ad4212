import { hash } from 'node:crypto';
import diagnostics from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';
import type { Database } from 'better-sqlite3';
import { answerTable } from '../../../src/warehouse/answer.ts';

/** Every body that arrived whole in this process, told by Node itself and not by the code under test. */
export interface Received {
  /** Those that the warehouse does not hold, byte for byte and as often as they came. */
  missingFrom(db: Database): string[];
  readonly bodies: number;
  close(): void;
}

interface Arrived {
  readonly path: string;
  readonly response: IncomingMessage;
  readonly chunks: Buffer[];
}

/** Listens to the answers of one origin; bodies above `maxBytes` and compressed ones are left out. */
export function listenToAnswers(origin: string, maxBytes: number): Received {
  const { host } = new URL(origin);
  const arrived: Arrived[] = [];
  const onAnswer = (message: unknown) => {
    const { request, response } = message as {
      request: { path: string; getHeader(name: string): unknown };
      response: IncomingMessage;
    };
    if (request.getHeader('host') !== host || response.headers['content-encoding'] !== undefined) return;
    const chunks: Buffer[] = [];
    const push = response.push.bind(response);
    response.push = (chunk: unknown, ...rest: [BufferEncoding?]) => {
      if (Buffer.isBuffer(chunk)) chunks.push(Buffer.from(chunk));
      return push(chunk, ...rest);
    };
    response.once('end', () => arrived.push({ path: request.path, response, chunks }));
  };
  diagnostics.subscribe(CHANNEL, onAnswer);

  const whole = () =>
    arrived.flatMap(({ path, response, chunks }) => {
      const body = Buffer.concat(chunks);
      return response.complete && body.length <= maxBytes ? [{ path, digest: digestOf(body) }] : [];
    });

  return {
    get bodies() {
      return whole().length;
    },
    missingFrom: (db) => {
      const kept = keptBodies(db);
      return whole().flatMap(({ path, digest }) => {
        const left = kept.get(digest) ?? 0;
        kept.set(digest, left - 1);
        return left > 0 ? [] : [`the answer to ${path} arrived and is not kept`];
      });
    },
    close: () => diagnostics.unsubscribe(CHANNEL, onAnswer),
  };
}

/** Counts the equal bodies in the warehouse, by SHA-256. */
export function keptBodies(db: Database): Map<string, number> {
  const kept = new Map<string, number>();
  const answers = answerTable(db);
  const ids = db.prepare<[], number>('SELECT call_id FROM _answer').pluck().all();
  for (const id of ids) {
    const digest = digestOf(answers.body(id) ?? Buffer.alloc(0));
    kept.set(digest, (kept.get(digest) ?? 0) + 1);
  }
  return kept;
}

function digestOf(body: Buffer): string {
  return hash('sha256', body);
}

const CHANNEL = 'http.client.response.finish';
