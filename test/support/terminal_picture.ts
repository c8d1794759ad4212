import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { stringify } from 'yaml';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { companies } from './served_mirror.ts';

/** Returns an HTML document that shows a command's output in a terminal, for a screenshot. */
export interface TerminalPicture {
  readonly name: string;
  readonly document: string;
}

/** Returns what `plan` and `sync` print with the sandbox. A few earlier calls make a cost estimate possible. */
export async function terminalPictures(): Promise<TerminalPicture[]> {
  const folder = mkdtempSync(join(tmpdir(), 'terminal-'));
  const sandbox = await startSandbox({ companies: companies(800) });
  const config = join(folder, 'registry-mirror.yaml');
  writeFileSync(
    config,
    stringify({
      version: 1,
      source: { name: 'Registry of Synthetic Companies', licence: 'CC0-1.0' },
      upstream: { base_url: sandbox.baseUrl, api_key: sandbox.keyOf('main') },
      allowance: { per_minute: 'unlimited', per_day: 300 },
      dialect: sandbox.dialect,
      warehouse: join(folder, 'warehouse.db'),
      ledger: join(folder, 'ledger.db'),
    }),
    { mode: 0o600 },
  );
  try {
    await atTerminal(['sync', '--max-calls', '8', '--config', config]);
    const pictures: TerminalPicture[] = [];
    for (const command of ['plan', 'sync'])
      pictures.push({
        name: `terminal-${command}`,
        document: documentOf(command, await atTerminal([command, '--config', config])),
      });
    return pictures;
  } finally {
    await sandbox.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * `script`, a program in util-linux, gives the command a terminal. The sandbox runs in this process, which must
 * therefore not block while it waits for the command.
 */
async function atTerminal(args: readonly string[]): Promise<string> {
  const bin = resolve(import.meta.dirname, '../../src/cli/bin.js');
  const command = [process.execPath, bin, ...args].map((word) => `'${word}'`).join(' ');
  const child = spawn('script', ['-qec', `stty cols 100; ${command}`, '/dev/null'], {
    env: { ...process.env, TERM: 'xterm', CI: '', TZ: 'UTC', NO_COLOR: '' },
  });
  const ended = once(child, 'close').catch(({ code, message }: NodeJS.ErrnoException) => {
    throw new Error(
      code === 'ENOENT'
        ? '`script` not found: install util-linux (Debian: the package bsdutils).'
        : `\`script\` failed to start: ${message}`,
    );
  });
  const [printed, [exitCode]] = await Promise.all([text(child.stdout), ended]);
  if (exitCode !== 0) throw new Error(`\`${args.join(' ')}\` ended with exit code ${exitCode}:\n${printed}`);
  return printed;
}

function documentOf(command: string, output: string): string {
  return `<!DOCTYPE html><meta charset="utf-8"><style>
    body { margin: 0; background: transparent }
    pre { display: inline-block; margin: 0; padding: 18px 22px; border-radius: 8px; background: #16191c; color: #dfe4e4; font: 14px/1.45 "DejaVu Sans Mono", monospace }
    b { color: #fff } i { color: #8b979a; font-style: normal } .c31 { color: #f2857b } .c32 { color: #7fd6a0 } .c33 { color: #e0b341 } .c36 { color: #66cfc9 }
  </style><pre><i>$</i> registry-mirror ${command}\n${markupOf(output)}</pre>`;
}

/** Each progress line overwrites the one before. If a sequence sets several colours, the last colour applies. */
function markupOf(output: string): string {
  const lines = output.replaceAll('\r\n', '\n').split('\n');
  const shown = lines
    .map((line) => line.split('\r\x1b[K').at(-1) ?? '')
    .join('\n')
    .trimEnd();
  const escaped = shown.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the sequences of a terminal
  return escaped.replace(/\x1b\[(\d+)m(.*?)\x1b\[\d+m/gs, (_, code: string, styled: string) =>
    code === '1'
      ? `<b>${styled}</b>`
      : code === '2'
        ? `<i>${styled}</i>`
        : `<span class="c${code}">${styled}</span>`,
  );
}
