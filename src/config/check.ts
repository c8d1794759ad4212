import { compilePattern } from '../dialect/pattern.ts';
import { messageOf } from '../errors.ts';
import type { ConfigProblem } from './config_error.ts';
import { type Origin, type ProblemText, problemAt, problemsOf } from './config_problems.ts';
import { type Config, ConfigFile } from './schema.ts';

export interface Checked {
  /** The checked configuration; null if there are problems. */
  readonly config: Config | null;
  readonly problems: readonly ConfigProblem[];
}

/** Checks configuration data against the schema, including the regular expressions in it. */
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
  if (!parsed.success) return { config: null, problems: problemsOf(parsed.error.issues, origin) };
  const problems = patternFaults(parsed.data, origin);
  return { config: problems.length === 0 ? parsed.data : null, problems };
}

function rejected(origin: Origin, text: ProblemText): Checked {
  return { config: null, problems: [problemAt([], origin, text)] };
}

function patternFaults(config: Config, origin: Origin): ConfigProblem[] {
  return (config.dialect?.responses ?? []).flatMap(({ matches }, index) => {
    const fault = matches === undefined ? null : patternFault(matches);
    if (fault === null) return [];
    const text = { message: `not a regular expression: ${fault}`, remedy: null };
    return [problemAt(['dialect', 'responses', index, 'matches'], origin, text)];
  });
}

function patternFault(pattern: string): string | null {
  try {
    compilePattern(pattern);
    return null;
  } catch (error) {
    return messageOf(error);
  }
}
