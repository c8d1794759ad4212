#!/usr/bin/env node
import module from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

// This file is plain JavaScript, so that even an old Node version can run it and print the message.
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 18)) {
  process.stderr.write(
    `registry-mirror needs Node 22.18 or newer; this is ${process.versions.node}. In a checkout, run: npm run -s registry-mirror -- COMMAND\n`,
  );
  process.exitCode = 2;
} else {
  // The compile cache halves the start time and saves 20 MiB of memory.
  const cache = fileURLToPath(new URL('../../node_modules/.cache/registry-mirror', import.meta.url));
  // Users often cannot write to an installed package's folder.
  const hasCache = module.enableCompileCache(cache).status !== module.constants.compileCacheStatus.FAILED;
  if (!hasCache) module.enableCompileCache(join(homedir(), '.cache', 'registry-mirror'));
  const { main } = await import('./main.ts');
  await main(process.argv.slice(2));
}
