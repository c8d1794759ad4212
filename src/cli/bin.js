#!/usr/bin/env node
// Plain JavaScript, so that a runtime that is too old can still say so.
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 18)) {
  process.stderr.write(
    `registry-mirror needs Node 22.18 or newer; this is ${process.versions.node}. In a checkout use: npm run -s registry-mirror -- COMMAND\n`,
  );
  process.exitCode = 2;
} else {
  const { main } = await import('./main.ts');
  await main(process.argv.slice(2));
}
