/** The baseline for `serve`, which is fastify with one route and one prepared statement, without keys or limits. */
import Sqlite from 'better-sqlite3';
import fastify from 'fastify';

const [, , warehousePath = '', port = '0'] = process.argv;
const db = new Sqlite(warehousePath, { readonly: true });
const select = db
  .prepare<[string], Buffer>(
    'SELECT a.body FROM entity e JOIN _answer a ON a.call_id = e._call_id WHERE e.entity_id = ?',
  )
  .pluck();
const app = fastify();
app.get<{ Params: { id: string } }>('/api/entity/:id', (request, reply) => {
  const body = select.get(request.params.id);
  return body === undefined
    ? reply.code(404).send()
    : reply.type('application/json; charset=utf-8').send(body);
});
await app.listen({ host: '127.0.0.1', port: Number(port) });
process.stdout.write(`${app.listeningOrigin}\n`);
