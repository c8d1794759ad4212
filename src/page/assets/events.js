// A shared worker that opens one event stream for all tabs of a browser. Each stream uses a connection, and a browser
// opens at most six connections to a host.

const ports = new Set();
let stream = null;
let latest = null;

function send(message) {
  latest = message;
  for (const port of ports) port.postMessage(message);
}

function open() {
  stream = new EventSource('/page/events');
  for (const type of ['message', 'tick']) stream.addEventListener(type, ({ data }) => send({ type, data }));
  stream.onerror = () => {
    send({ type: 'lost' });
    // The browser reconnects automatically, except after the server has rejected the stream.
    if (stream?.readyState === EventSource.CLOSED) setTimeout(reopen, 5_000);
  };
}

function reopen() {
  if (stream !== null) open();
}

function close() {
  stream?.close();
  stream = null;
  latest = null;
}

self.addEventListener('connect', ({ ports: [port] }) => {
  port.onmessage = ({ data }) => {
    if (data === 'leave') ports.delete(port);
    else ports.add(port);
    if (ports.size === 0) close();
    else if (stream === null) open();
    else if (latest !== null && data === 'listen')
      port.postMessage({ ...latest, type: latest.type === 'tick' ? 'message' : latest.type });
  };
});
