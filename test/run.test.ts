import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const RUNNER = join(import.meta.dirname, 'run.ts');
const paths = [...readFileSync(RUNNER, 'utf8').matchAll(/\['([\w/]+\.ts)',/g)].map(([, path = '']) => path);

describe('the runner for benchmarks, trust tests and acceptance tests', () => {
  it('the runner lists the names in a group if no name is given', () => {
    const { status, stdout } = run('bench');
    expect(status).toBe(0);
    for (const name of ['all', 'throughput', 'yields']) expect(stdout).toMatch(RegExp(`^  ${name} `, 'm'));
  });

  it('the runner lists the names and exits with 2 if the name is unknown', () => {
    const { status, stderr } = run('accept', 'nothing');
    expect(status).toBe(2);
    expect(stderr).toMatch(/^Unknown name: nothing\.[\s\S]*^ {2}install /m);
  });

  it('the runner has at least twenty scripts, all of which exist', () => {
    expect(paths.length).toBeGreaterThan(20);
    expect(paths.filter((path) => !existsSync(join(import.meta.dirname, path)))).toEqual([]);
  });
});

function run(...args: string[]) {
  return spawnSync(process.execPath, [RUNNER, ...args], { encoding: 'utf8' });
}
