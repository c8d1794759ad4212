# The image of registry-mirror: every command, the worker by default.
# A read-only root file system is enough; what is written goes to /data.

FROM node:24-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci
COPY tsconfig.json tsconfig.build.json ./
COPY src ./src
COPY jobs ./jobs
COPY data ./data
RUN npm run build

FROM node:24-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json ./
# TypeScript comes along as an optional peer of a library that checks types with it; nothing here runs it.
RUN npm ci --omit=dev && rm -rf node_modules/typescript node_modules/@typescript && npm cache clean --force

FROM node:24-slim
ENV NODE_ENV=production
# One pool of memory for all threads: the worker idles with some 6 MiB less, and is no slower.
ENV MALLOC_ARENA_MAX=1
WORKDIR /config
COPY --from=dependencies /app/node_modules /app/node_modules
COPY --from=build /app/dist /app/dist
COPY package.json /app/package.json
RUN install -d -o node -g node /data
USER node
VOLUME /data
EXPOSE 9464
# Alive is what counts here: without Redis or allowance the worker waits, and a restart would not help.
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:9464/health').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
# Half of the memory of a run would be what was thrown away since the last collection; the processor does not mind.
ENTRYPOINT ["node", "--max-semi-space-size=4", "/app/dist/src/cli/bin.js"]
CMD ["worker"]
