import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { FastifyReply, FastifyRequest, FastifySchema } from 'fastify';
import type { Problem } from './problems.ts';
import type { ApiResponse } from './request_context.ts';

/** A GET endpoint. Its schema validates requests and describes the endpoint in the OpenAPI document. */
export interface Endpoint {
  readonly path: string;
  readonly schema: FastifySchema;
  readonly respond: (request: EndpointRequest) => Promise<EndpointResponse | Problem>;
}

interface EndpointRequest {
  readonly params: Readonly<Record<string, string>>;
  /** The query parameters. The schema has already validated them. */
  readonly query: Readonly<Record<string, unknown>>;
  readonly accept: string;
  /** A signal that aborts when the response is complete or the client closes the connection. */
  readonly signal: AbortSignal;
}

/** A response with a text body, or with a body that is sent in chunks. */
export type EndpointResponse = Omit<ApiResponse, 'body'> & { readonly body: string | Iterable<Uint8Array> };

export function endpointRequest(
  { params, query, headers }: FastifyRequest,
  reply: FastifyReply,
): EndpointRequest {
  const closed = new AbortController();
  reply.raw.once('close', () => closed.abort());
  return {
    params: params as Record<string, string>,
    query: query as Record<string, unknown>,
    accept: headers.accept ?? '',
    signal: closed.signal,
  };
}

/**
 * Sends the headers, then the body in chunks, as fast as the client reads them. If sending fails, the connection is
 * closed, so that the client cannot mistake an incomplete body for a complete one.
 */
export async function sendChunks(
  reply: FastifyReply,
  body: Iterable<Uint8Array>,
  failed: (error: Error) => void,
): Promise<FastifyReply> {
  reply.raw.setTimeout(SLOWEST_CHUNK_MS, () => reply.raw.destroy());
  try {
    await pipeline(Readable.from(body, { objectMode: false }), reply.raw);
  } catch (error) {
    const isOfClient = (error as NodeJS.ErrnoException).code === 'ERR_STREAM_PREMATURE_CLOSE';
    if (!isOfClient) failed(error instanceof Error ? error : new Error(String(error)));
  }
  return reply;
}

const SLOWEST_CHUNK_MS = 60_000;
