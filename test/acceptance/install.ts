// npm run accept install [-- 22 24 26]
// Measures the production dependencies. Then packs the package, installs it globally in an empty prefix with each major
// Node version, and tries `demo`, the manual page and `npx` there. Needs the npm registry.
import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '../..');
const MAX_DEPENDENCIES_MIB = 100;
const majors = process.argv.slice(2).length > 0 ? process.argv.slice(2) : ['22', '24', '26'];
const folder = mkdtempSync(join(tmpdir(), 'install-'));
let failures = 0;
try {
  checkDependencies();
  const tarball = pack();
  for (const major of majors) checkNode(major, tarball);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.exitCode = failures === 0 ? 0 : 1;

function pack(): string {
  const printed = execFileSync('npm', ['pack', '--json', '--pack-destination', folder], {
    cwd: root,
    encoding: 'utf8',
    timeout: 600_000,
  });
  // The build prints a few lines before the JSON document.
  const [{ filename, size, entryCount }] = JSON.parse(printed.slice(printed.indexOf('\n[') + 1));
  process.stdout.write(`${filename}: ${entryCount} files, ${Math.round(size / 1000)} kB\n`);
  return join(folder, filename);
}

/** Installs the production dependencies and measures how much disk space they use. */
function checkDependencies(): void {
  for (const file of ['package.json', 'package-lock.json'])
    copyFileSync(join(root, file), join(folder, file));
  const { stderr } = npm(['ci', '--omit=dev', '--silent'], process.env.PATH ?? '');
  const mib = (...flags: string[]) =>
    Number.parseInt(
      execFileSync('du', ['-sm', ...flags, 'node_modules'], { cwd: folder, encoding: 'utf8' }),
      10,
    );
  const title = `npm ci --omit=dev: ${mib()} MiB on disk, ${mib('--apparent-size')} MiB of contents`;
  check(title, mib() < MAX_DEPENDENCIES_MIB, stderr);
}

/** Installs the tarball globally with one Node version, and runs the command in an empty folder. */
function checkNode(major: string, tarball: string): void {
  const runtime = join(folder, `node-${major}`);
  mkdirSync(runtime);
  npm(['install', '--silent', '--prefix', runtime, `node@${major}`], process.env.PATH ?? '');
  const node = join(runtime, 'node_modules/node/bin');
  const prefix = join(folder, `prefix-${major}`);
  const path = `${node}:${prefix}/bin:${process.env.PATH}`;
  const installed = npm(['install', '--global', '--prefix', prefix, tarball], path);
  check(`Node ${major}: npm install --global`, installed.status === 0, installed.stderr);
  check(
    `Node ${major}: no warning about the engine`,
    !installed.stderr.includes('EBADENGINE'),
    installed.stderr,
  );
  const work = join(folder, `work-${major}`);
  mkdirSync(work);
  const run = (command: string, ...args: string[]) =>
    spawnSync(command, args, {
      cwd: work,
      env: { ...clean(), PATH: path },
      encoding: 'utf8',
      timeout: 300_000,
    });
  const version = run('node', '--version').stdout.trim();
  const demo = run('registry-mirror', 'demo', '--json');
  const data = demo.status === 0 ? JSON.parse(demo.stdout).data : null;
  check(
    `Node ${major} (${version}): demo, ${data?.calls_spent} calls, ${data?.records} records of ${data?.registry_total} companies`,
    data?.ended === 'done' && existsSync(join(work, 'data/demo.db')),
    demo.stderr,
  );
  const hint = run('registry-mirror', 'status').stderr;
  check(`Node ${major}: hints name the installed command`, hint.includes('`registry-mirror init`'), hint);
  check(
    `Node ${major}: manual page`,
    existsSync(join(prefix, 'share/man/man1/registry-mirror.1')),
    'share/man/man1/registry-mirror.1 is missing',
  );
  const npx = run('npx', '--yes', '--package', tarball, 'registry-mirror', 'status');
  const inHint = `npx --package ${tarball} registry-mirror init`;
  check(`Node ${major}: hints name npx with its package`, npx.stderr.includes(inHint), npx.stderr);
}

function npm(args: readonly string[], path: string) {
  return spawnSync('node', [npmPath(), ...args, '--no-audit', '--no-fund'], {
    cwd: folder,
    env: { ...clean(), PATH: path },
    encoding: 'utf8',
    timeout: 600_000,
  });
}

/** Returns the path of npm's own script, so that each tested Node version can run it. */
function npmPath(): string {
  const script = (process.env.PATH ?? '')
    .split(':')
    .map((entry) => join(entry, 'npm'))
    .find((file) => existsSync(file));
  if (script === undefined) throw new Error('npm is not on the PATH');
  return join(dirname(realpathSync(script)), 'npm-cli.js');
}

/** Returns the environment without the variables that npm sets for this script. */
function clean(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('npm_')));
}

function check(title: string, holds: boolean, details: string): void {
  process.stdout.write(`${holds ? 'ok    ' : 'FAILED'}  ${title}\n`);
  if (holds) return;
  failures += 1;
  process.stdout.write(`${details.trim().slice(-2000)}\n`);
}
