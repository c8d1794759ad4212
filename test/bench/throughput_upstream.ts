import http from 'node:http';
import type { AddressInfo } from 'node:net';

/** The barest upstream there is, in a process of its own. */
const BODY = JSON.stringify({
  id: '42',
  name: 'Acme Holding AS',
  status: 'active',
  registered_at: '2001-02-03',
  address: { street: 'Storgata 1', postal_code: '0155', city: 'Oslo', country: 'NO' },
  industry_codes: [{ code: '64.202', text: 'Financial holding companies' }],
  officers: Array.from({ length: 6 }, (_, index) => ({ name: `Kari Nordmann ${index}`, role: 'director' })),
});
const server = http.createServer((_request, response) => {
  response.writeHead(200, { 'content-type': 'application/json' }).end(BODY);
});
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
process.on('disconnect', () => process.exit());
