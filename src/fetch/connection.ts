import { once } from 'node:events';
import http from 'node:http';
import https from 'node:https';
import net from 'node:net';
import tls from 'node:tls';

export interface ConnectionOptions {
  readonly origin: URL;
  readonly connectTimeoutMs: number;
  /** Additional certificate authorities in PEM format. */
  readonly ca: string | null;
  /** The proxy for a CONNECT tunnel; null if there is none. */
  readonly proxy: URL | null;
  /**
   * The longest time for which a connection may be idle before it is replaced. Upstreams close idle connections after 5
   * seconds or more. A request sent while the upstream is closing the connection is lost, although its unit is spent.
   */
  readonly maxIdleMs?: number;
}

/** Prepares `count` connections to one upstream. They share the TLS context, and `connect` opens each of them. */
export function openConnections(count: number, options: ConnectionOptions): Connection[] {
  const connect = openConnector(options);
  return Array.from({ length: count }, () => new Connection(options, connect));
}

/**
 * One connection to the upstream. It is opened before a unit is spent, so a failed connection costs nothing. A request
 * is sent in the same tick of the event loop in which the planner chose it.
 */
export class Connection {
  readonly agents: { readonly http: http.Agent; readonly https: https.Agent };
  readonly #agent: http.Agent;
  readonly #connect: Connect;
  readonly #maxIdleMs: number;
  readonly #closing = new AbortController();
  /** Includes sockets that the agent no longer owns, for example after a 101 response. */
  readonly #sockets = new Set<net.Socket>();
  #ready: net.Socket | null = null;
  #isReused = false;

  constructor({ origin, maxIdleMs = MAX_IDLE_MS }: ConnectionOptions, connect: Connect) {
    this.#connect = connect;
    this.#maxIdleMs = maxIdleMs;
    const agentOptions = { keepAlive: true, maxSockets: 1, maxFreeSockets: 1, timeout: maxIdleMs };
    this.agents = { http: new http.Agent(agentOptions), https: new https.Agent(agentOptions) };
    for (const agent of Object.values(this.agents)) {
      Object.assign(agent, { createConnection: () => this.#takeReady() });
      closeIdleAtData(agent);
    }
    this.#agent = origin.protocol === 'https:' ? this.agents.https : this.agents.http;
  }

  /** True if the connection is open. This getter must be fast, because it is read several times for each call. */
  get isReady(): boolean {
    return (
      (this.#ready !== null && isOpen(this.#ready)) ||
      Object.values(this.#agent.freeSockets).some((sockets) => sockets?.some(isOpen))
    );
  }

  /** Returns whether the last call used a connection that had already carried another call. */
  get isReused(): boolean {
    return this.#isReused;
  }

  /** Marks the start of a call, from which `isReused` is known. */
  startCall(): void {
    this.#isReused = true;
  }

  /** Resolves when the connection is open. Rejects with the network error. */
  async connect(): Promise<void> {
    if (this.isReady) return;
    const socket = await this.#connect(this.#closing.signal);
    // An idle connection can fail at any time. The next `connect` then opens another one.
    socket.on('error', () => socket.destroy());
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
    this.#ready = socket.setTimeout(this.#maxIdleMs, () => socket.destroy()).on('data', closeAtData);
  }

  /** Restarts the idle timer, so that the connection stays open until its slot is used. */
  hold(): void {
    const unused = Object.values(this.#agent.freeSockets).flatMap((sockets) => sockets ?? []);
    for (const socket of [this.#ready, ...unused]) socket?.setTimeout(this.#maxIdleMs);
  }

  /** Closes the connection after a failed request, because the upstream may never close it. */
  discard(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  close(): void {
    this.#closing.abort(new Error('the connection was closed'));
    this.discard();
    this.agents.http.destroy();
    this.agents.https.destroy();
  }

  #takeReady(): net.Socket {
    const socket = this.#ready;
    this.#ready = null;
    this.#isReused = false;
    // The agent must not open a connection here, because the unit has already been spent.
    if (socket === null || !isOpen(socket))
      throw new Error('the connection was lost before the request was sent');
    return socket.setTimeout(0).removeAllListeners('timeout').off('data', closeAtData);
  }
}

/**
 * Makes an agent close its idle connections at the first byte that arrives. No call requested this byte, so the next
 * call would read it as the beginning of its own response. Newer versions of Node do the same.
 */
function closeIdleAtData(agent: http.Agent): void {
  const reuse = agent.reuseSocket.bind(agent);
  agent.on('free', (socket: net.Socket) => socket.on('data', closeAtData));
  agent.reuseSocket = (socket, request) => {
    socket.off('data', closeAtData);
    reuse(socket, request);
  };
}

function closeAtData(this: net.Socket): void {
  this.destroy();
}

function isOpen(socket: net.Socket): boolean {
  return !socket.destroyed && socket.writable;
}

/** Opens a connection. Rejects after the connect timeout, or when the signal aborts. */
type Connect = (signal: AbortSignal) => Promise<net.Socket>;

function openConnector({ origin, connectTimeoutMs, ca, proxy }: ConnectionOptions): Connect {
  const target = { host: bareHost(origin), port: portOf(origin) };
  // The context is created only once, because reading the system's certificate authorities takes longer than a call.
  const secureContext =
    ca === null ? null : tls.createSecureContext({ ca: [...tls.getCACertificates(), ca] });
  const open = async (signal: AbortSignal): Promise<net.Socket> => {
    const socket =
      proxy === null ? await tcp(target, signal) : await tunnel({ proxy, target, secureContext, signal });
    return origin.protocol === 'https:' ? await secured(socket, target.host, secureContext, signal) : socket;
  };
  return (closing) => within(connectTimeoutMs, closing, open);
}

/** Runs an action with a signal that aborts after `timeoutMs`, or when `outer` aborts. */
async function within<T>(
  timeoutMs: number,
  outer: AbortSignal,
  action: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const timeout = new AbortController();
  const late = new Error('no connection within the connect timeout');
  const timer = setTimeout(() => timeout.abort(late), timeoutMs);
  try {
    return await action(AbortSignal.any([outer, timeout.signal]));
  } finally {
    clearTimeout(timer);
  }
}

interface Target {
  readonly host: string;
  readonly port: number;
}

function tcp(target: Target, signal: AbortSignal): Promise<net.Socket> {
  const socket = net.connect({ ...target, noDelay: true, keepAlive: true });
  return settled(socket, 'connect', signal);
}

function secured(
  socket: net.Socket,
  host: string,
  secureContext: tls.SecureContext | null,
  signal: AbortSignal,
): Promise<tls.TLSSocket> {
  const secure = tls.connect({
    socket,
    // The server's certificate must be valid for this host. RFC 6066 does not permit an IP address as a server name.
    host,
    ...(net.isIP(host) ? {} : { servername: host }),
    ALPNProtocols: ['http/1.1'],
    ...(secureContext === null ? {} : { secureContext }),
  });
  return settled(secure, 'secureConnect', signal);
}

interface Tunnel {
  readonly proxy: URL;
  readonly target: Target;
  readonly secureContext: tls.SecureContext | null;
  readonly signal: AbortSignal;
}

/** Opens a tunnel through a proxy (RFC 9110, section 9.3.6). */
async function tunnel({ proxy, target, secureContext, signal }: Tunnel): Promise<net.Socket> {
  const authority = `${target.host.includes(':') ? `[${target.host}]` : target.host}:${target.port}`;
  const credentials = `${decodeURIComponent(proxy.username)}:${decodeURIComponent(proxy.password)}`;
  const request = (proxy.protocol === 'https:' ? https : http).request({
    method: 'CONNECT',
    host: bareHost(proxy),
    port: portOf(proxy),
    path: authority,
    headers: {
      host: authority,
      ...(proxy.username === ''
        ? {}
        : { 'proxy-authorization': `Basic ${Buffer.from(credentials).toString('base64')}` }),
    },
    agent: false,
    signal,
    ...(secureContext === null ? {} : { secureContext }),
  });
  return new Promise((resolve, reject) => {
    request.once('connect', (response, socket: net.Socket) => {
      if (response.statusCode === 200) return resolve(socket);
      socket.destroy();
      reject(
        new Error(
          `the proxy ${proxy.host} refused the connection to ${authority}: HTTP ${response.statusCode}`,
        ),
      );
    });
    request.once('error', (error) => reject(signal.aborted ? signal.reason : error));
    request.end();
  });
}

async function settled<S extends net.Socket>(
  socket: S,
  event: 'connect' | 'secureConnect',
  signal: AbortSignal,
): Promise<S> {
  try {
    await once(socket, event, { signal });
    return socket;
  } catch (error) {
    // Ignore further errors on a connection that has already failed.
    socket.on('error', () => {});
    socket.destroy();
    throw signal.aborted ? signal.reason : error;
  }
}

function bareHost(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '');
}

function portOf(url: URL): number {
  return url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port);
}

const MAX_IDLE_MS = 4000;
