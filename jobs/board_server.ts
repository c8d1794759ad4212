import { createReadStream, readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { extname, join, sep } from 'node:path';
import type { BullBoardQueues, IServerAdapter, UIConfig } from '@bull-board/api/typings/app';
import type { FastifyInstance } from 'fastify';

/**
 * Serves the dashboard with fastify below `path`. Each file in the dashboard has its own route, so that no requested
 * path reaches the file system. The package `@bull-board/fastify` needs 25 more packages for the same routes.
 */
export function boardServer(app: FastifyInstance, path: string): IServerAdapter {
  let queues: BullBoardQueues = new Map();
  let uiConfig: UIConfig = {};
  let pages = '';
  const server: IServerAdapter = {
    setQueues: (given) => {
      queues = given;
      return server;
    },
    setUIConfig: (given) => {
      uiConfig = given;
      return server;
    },
    setViewsPath: (folder) => {
      pages = folder;
      return server;
    },
    setStaticPath: (route, folder) => {
      for (const file of filesIn(folder))
        app.get(`${path}${route}/${file.replaceAll(sep, '/')}`, (_request, reply) =>
          reply
            .type(MEDIA_TYPES[extname(file)] as string)
            .header('cache-control', 'private, max-age=3600')
            .send(createReadStream(join(folder, file))),
        );
      return server;
    },
    setEntryRoute: ({ method, route, handler }) => {
      for (const url of [route].flat())
        app.route({
          method,
          url: path + url,
          handler: async (_request, reply) => {
            const { name, params } = handler({ basePath: path, uiConfig });
            return reply
              .type('text/html; charset=utf-8')
              .send(filled(await readFile(join(pages, name), 'utf8'), params));
          },
        });
      return server;
    },
    setApiRoutes: (routes) => {
      for (const { method, route, handler } of routes)
        for (const url of [route].flat())
          app.route<{ Params: Fields; Querystring: Fields; Body: Fields }>({
            method,
            url: path + url,
            handler: async ({ params, query, body }, reply) => {
              const response = await handler({ queues, uiConfig, params, query, body, headers: {} });
              return reply.code(response.status ?? 200).send(response.body);
            },
          });
      return server;
    },
    setErrorHandler: (responseTo) => {
      app.setErrorHandler<Error>((error, _request, reply) => {
        const { status, body } = responseTo(error);
        return reply.code(status ?? 500).send(body);
      });
      return server;
    },
  };
  return server;
}

type Fields = Record<string, unknown>;

/** Returns the files below a folder that a browser can request. */
function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (file) => extname(file) in MEDIA_TYPES,
  );
}

/** Fills in the variables on an EJS page: `<%= name %>` is escaped, and `<%- name %>` is inserted unchanged. */
function filled(page: string, values: Readonly<Record<string, string>>): string {
  return page.replace(/<%([=-])\s*(\w+)\s*%>/g, (_, kind, name) => {
    const value = values[name] ?? '';
    return kind === '-' ? value : value.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
  });
}

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
};
