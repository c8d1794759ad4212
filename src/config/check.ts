import type { ConfigProblem } from './config_error.ts';
import { type Origin, type ProblemText, problemAt, problemsOf } from './config_problems.ts';
import { type Config, ConfigFile } from './schema.ts';

export interface Checked {
  /** The checked configuration; null if there are problems. */
  readonly config: Config | null;
  readonly problems: readonly ConfigProblem[];
}

/** Checks configuration data against the schema. */
export function checkData(origin: Origin): Checked {
  const { data } = origin;
  if (data === null || data === undefined)
    return rejected(origin, {
      message: 'the file is empty',
      remedy: 'run `registry-mirror init` to create one',
    });
  if (typeof data !== 'object' || Array.isArray(data))
    return rejected(origin, { message: 'must be a section with keys', remedy: 'begin with `version: 1`' });
  const parsed = ConfigFile.safeParse(data);
  return parsed.success
    ? { config: parsed.data, problems: [] }
    : { config: null, problems: problemsOf(parsed.error.issues, origin) };
}

function rejected(origin: Origin, text: ProblemText): Checked {
  return { config: null, problems: [problemAt([], origin, text)] };
}
