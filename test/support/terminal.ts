import { vi } from 'vitest';
import { main } from '../../src/cli/main.ts';

export interface Terminal {
  /** The width in columns, or null if standard output and standard error are not terminals. */
  readonly columns: number | null;
  readonly noColor?: string;
}

export interface Printed {
  readonly stdout: string;
  readonly stderr: string;
  /** What was written to both streams, in order. */
  readonly text: string;
  readonly code: number;
}

/** Runs a command in this process on a terminal with `columns` columns, and returns its output. */
export async function atTerminal(
  args: readonly string[],
  { columns, noColor = '' }: Terminal,
): Promise<Printed> {
  const printed = { stdout: '', stderr: '', text: '' };
  const restored = (['stdout', 'stderr'] as const).map((name) => {
    const stream = process[name];
    const before = { isTTY: stream.isTTY, columns: stream.columns };
    const write = vi.spyOn(stream, 'write').mockImplementation((text) => {
      printed[name] += text;
      printed.text += text;
      return true;
    });
    Object.assign(stream, { isTTY: columns !== null, columns: columns ?? undefined });
    return () => {
      write.mockRestore();
      Object.assign(stream, before);
    };
  });
  for (const [name, value] of Object.entries({ NO_COLOR: noColor, CI: '1', TERM: 'xterm' }))
    vi.stubEnv(name, value);
  const listeners = process.stdout.listeners('error');
  process.exitCode = 0;
  try {
    await main(args);
    return { ...printed, code: Number(process.exitCode) };
  } finally {
    for (const restore of restored) restore();
    for (const one of process.stdout.listeners('error'))
      if (!listeners.includes(one)) process.stdout.off('error', one as () => void);
    process.exitCode = 0;
  }
}
