// node sender.ts CONFIGURATION SHIFT_MS runs `sync` once and sends its notifications, with the clock set SHIFT_MS
// ahead.
import { systemClock } from '../../../src/clock.ts';
import { loadConfig } from '../../../src/config/load_config.ts';
import { openWorkspace } from '../../../src/operations/assemble.ts';
import { ALL_KINDS, run } from '../../../src/operations/run.ts';

const [path, shiftMs] = process.argv.slice(2);
const now = () => Date.now() + Number(shiftMs);
const workspace = openWorkspace(loadConfig({ path }), { ...systemClock, now });
process.stdout.write('started\n');
try {
  await run(workspace, {
    command: 'sync',
    purpose: 'scheduled',
    kinds: ALL_KINDS,
    focus: 'coverage',
    maxCalls: Number.POSITIVE_INFINITY,
    maxMinutes: 1,
    signal: new AbortController().signal,
  });
} finally {
  workspace.close();
}
