import { hash } from 'node:crypto';
import diagnostics from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';
import type { Database } from 'better-sqlite3';
import { answerTable } from '../../../src/warehouse/answer.ts';

/**
 * The complete bodies that this process received. Node's HTTP client records them, so they do not depend on the code
 * under test.
 */
export interface ReceivedBodies {
  /**
   * Describes the bodies that are missing from the warehouse. The warehouse must contain each body byte for byte, as
   * often as it was received.
   */
  missingFrom(db: Database): string[];
  readonly count: number;
  close(): void;
}

interface Arrived {
  readonly path: string;
  readonly response: IncomingMessage;
  readonly chunks: Buffer[];
}

/** Records one origin's responses, except compressed bodies and bodies above `maxBytes`. */
export function recordBodies(origin: string, maxBytes: number): ReceivedBodies {
  const { host } = new URL(origin);
  const arrived: Arrived[] = [];
  const onResponse = (message: unknown) => {
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
  diagnostics.subscribe(CHANNEL, onResponse);

  const complete = () =>
    arrived.flatMap(({ path, response, chunks }) => {
      const body = Buffer.concat(chunks);
      return response.complete && body.length <= maxBytes ? [{ path, digest: digestOf(body) }] : [];
    });

  return {
    get count() {
      return complete().length;
    },
    missingFrom: (db) => {
      const stored = countStoredBodies(db);
      return complete().flatMap(({ path, digest }) => {
        const remaining = stored.get(digest) ?? 0;
        stored.set(digest, remaining - 1);
        return remaining > 0 ? [] : [`the response to ${path} was received but is not stored`];
      });
    },
    close: () => diagnostics.unsubscribe(CHANNEL, onResponse),
  };
}

/** How often the warehouse contains each body, by its SHA-256. */
function countStoredBodies(db: Database): Map<string, number> {
  const stored = new Map<string, number>();
  const responses = answerTable(db);
  const ids = db.prepare<[], number>('SELECT call_id FROM _answer').pluck().all();
  for (const id of ids) {
    const digest = digestOf(responses.body(id) ?? Buffer.alloc(0));
    stored.set(digest, (stored.get(digest) ?? 0) + 1);
  }
  return stored;
}

function digestOf(body: Buffer): string {
  return hash('sha256', body);
}

const CHANNEL = 'http.client.response.finish';
