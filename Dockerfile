# The image of registry-mirror. It contains all commands and runs the worker by default.
# The root file system can be read-only: the program writes only to /data.

FROM node:24.21.0-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json ./
# bullmq-otel is an optional peer dependency that the lock file contains for the tests. better-sqlite3 contains its sources
# and binaries for other systems. Nothing in the image uses them, so they are removed.
RUN npm ci --omit=dev \
  && cd node_modules \
  && rm -rf bullmq-otel better-sqlite3/deps \
  && cd better-sqlite3/prebuilds \
  && rm -f darwin-* win32-* linuxmusl-* \
  && npm cache clean --force

# Compiles with the types and the compiler of the lock file. The other development dependencies, such as a browser, are
# not needed. They are in the parent folder, so that they stay out of the image.
FROM dependencies AS build
WORKDIR /
RUN npm install --no-save --no-audit --no-fund $(node -p " \
  const { packages } = require('/app/package-lock.json'); \
  const names = ['typescript-compiler', '@types/node', '@types/better-sqlite3', '@types/luxon']; \
  const locked = names.map((alias) => ({ alias, name: alias, ...packages['node_modules/' + alias] })); \
  locked.map(({ alias, name, version }) => alias + '@npm:' + name + '@' + version).join(' ')")
WORKDIR /app
COPY tsconfig.json tsconfig.build.json ./
COPY src ./src
COPY jobs ./jobs
COPY data ./data
RUN PATH=/node_modules/.bin:$PATH npm run build

FROM node:24.21.0-slim
ENV NODE_ENV=production
# With one malloc arena for all threads, an idle worker uses about 6 MiB less and is not slower.
ENV MALLOC_ARENA_MAX=1
WORKDIR /config
COPY --from=dependencies /app/node_modules /app/node_modules
COPY --from=build /app/dist /app/dist
COPY package.json /app/package.json
RUN install -d -o node -g node /data
USER node
VOLUME /data
EXPOSE 9464
# Checks only that the process is alive. Without Redis or allowance the worker waits, and a restart would not help.
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:9464/health').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
# These flags keep V8's heap small, because uncollected garbage would otherwise be half of the memory of a run. With
# them, an idle worker never needs more than 120 MiB, but a run without a rate limit needs 7 % more processor time.
ENTRYPOINT ["node", "--optimize-for-size", "/app/dist/src/cli/bin.js"]
CMD ["worker"]
