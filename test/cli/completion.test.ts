import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { COMMAND_NAMES } from '../../src/cli/commands.ts';
import { completionScript } from '../../src/cli/completion.ts';
import { openProgram } from '../../src/cli/main.ts';

const program = await openProgram(COMMAND_NAMES);

/** Returns bash's completions for the last word. */
function completed(...words: readonly string[]): string[] {
  const list = ['registry-mirror', ...words].map((word) => `'${word}'`).join(' ');
  const script = `${completionScript('bash', program)}
    COMP_WORDS=(${list}); COMP_CWORD=${words.length}; _registry_mirror; printf '%s\\n' "\${COMPREPLY[@]}"`;
  return spawnSync('bash', ['-c', script], { encoding: 'utf8' }).stdout.trim().split('\n');
}

test.each([
  [['st'], ['status']],
  [['backfill', '--id'], ['--ids']],
  [['keys', 'rev'], ['revoke']],
  [['keys', 'create', '--per-m'], ['--per-minute']],
  [['backfill', '--ids', 'list.txt', '--max-c'], ['--max-calls']],
  [['completion', 'z'], ['zsh']],
])('bash completes %j to %j', (words, expected) => {
  expect(completed(...words)).toEqual(expected);
});

test('fish receives every command with its summary', () => {
  const script = completionScript('fish', program);
  for (const name of COMMAND_NAMES) expect(script).toContain(`-a ${name} -d '`);
});
