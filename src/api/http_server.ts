import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

/**
 * Creates an HTTP server that limits the size of headers, and how long headers and whole requests may take to arrive.
 * If a request exceeds a limit or cannot be parsed, the server sends a status without a body and closes the connection.
 */
export function boundedServer(listener: RequestListener): Server {
  const server = createServer(
    {
      maxHeaderSize: 16_384,
      headersTimeout: 10_000,
      requestTimeout: 30_000,
      // Common clients close an idle connection sooner. If the server closed it first, a request sent at the same
      // moment would be lost.
      keepAliveTimeout: 75_000,
      connectionsCheckingInterval: 5_000,
    },
    (request, response) => {
      if (!hasDuplicate(request)) return listener(request, response);
      response.writeHead(400, { connection: 'close', 'content-length': 0 }).end();
    },
  );
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
    socket.end(`HTTP/1.1 ${statusLineFor(error.code)}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
  });
  return server;
}

/**
 * Returns whether a header that must be unique occurs twice. Two programs could read different hosts or keys from such
 * a request (RFC 9112, section 3.2).
 */
function hasDuplicate({ rawHeaders }: IncomingMessage): boolean {
  const names = rawHeaders.filter((_, at) => at % 2 === 0).map((name) => name.toLowerCase());
  return SINGLE_HEADERS.some((name) => names.indexOf(name) !== names.lastIndexOf(name));
}

const SINGLE_HEADERS = ['host', 'authorization'];

/** Returns a request's path without the query string. */
export function pathOf({ url = '/' }: { readonly url?: string | undefined }): string {
  return url.split('?', 1)[0] ?? '/';
}

/**
 * Starts listening and resolves to a URL with scheme, host and port. Rejects if the address is in use or is not one of
 * this machine's.
 */
export async function listenOn(server: Server, host: string, port: number): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
  const { family, address, port: actualPort } = server.address() as AddressInfo;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${actualPort}`;
}

/** Stops listening and closes every connection, because faults in the sandbox can leave requests open forever. */
export function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

function statusLineFor(code: string | undefined): string {
  if (code === 'HPE_HEADER_OVERFLOW') return '431 Request Header Fields Too Large';
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return '408 Request Timeout';
  return '400 Bad Request';
}

/**
 * Returns whether an address or a `Host` header names this machine. If a website's name resolves to 127.0.0.1, its pages
 * send that name instead.
 */
export function isLoopback(host = ''): boolean {
  return /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?$|^::1$/i.test(host);
}
