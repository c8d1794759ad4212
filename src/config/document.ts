import { relative } from 'node:path';
import { LineCounter, parseDocument } from 'yaml';
import { messageOf } from '../errors.ts';
import { ConfigError } from './config_error.ts';
import { type Origin, problemAt } from './config_problems.ts';
import type { Override } from './environment.ts';
import { convertText } from './key_paths.ts';

/**
 * Reads YAML.
 *
 * @throws ConfigError if it is malformed.
 */
export function readDocument(path: string, text: string): Origin {
  const lines = new LineCounter();
  // The parser's pretty errors quote the line, which may contain an API key.
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const origin = { file: shortened(path), document, lines, overridden: new Map(), data: null };
  const [fault] = [...document.errors, ...document.warnings];
  if (fault === undefined) return origin;
  // Later faults are often consequences of the first one.
  const { pos, message } = fault;
  const { line, col } = lines.linePos(pos[0]);
  const faulty = text.split('\n')[line - 1] ?? '';
  throw new ConfigError([
    {
      where: origin.file,
      line,
      column: col,
      key: '',
      message: `not valid YAML: ${message}`,
      remedy: faulty.includes('${') ? FLOW_REMEDY : /^\s*[\w-]+\s*$/.test(faulty) ? COLON_REMEDY : null,
    },
  ]);
}

const COLON_REMEDY = 'a key ends in a colon: `upstream:`';

// biome-ignore lint/suspicious/noTemplateCurlyInString: the file uses this notation
const FLOW_REMEDY = 'put references between { and } in quotes: { total: "${env:TOTAL}" }';

/** Returns the document's data with the overrides applied. */
export function override(origin: Origin, overrides: readonly Override[]): Origin {
  const data = dataOf(origin);
  if (!isSection(data)) return { ...origin, data };
  for (const { path, value } of overrides) setIn(data, path, convertText(value, path));
  return { ...origin, data, overridden: new Map(overrides.map(({ path, by }) => [path.join('.'), by])) };
}

function dataOf(origin: Origin): unknown {
  try {
    return origin.document.toJS();
  } catch (error) {
    // The document contains an alias without an anchor, or its aliases expand beyond the parser's limit.
    const message = `not valid YAML: ${messageOf(error)}`;
    throw new ConfigError([problemAt([], origin, { message, remedy: null })]);
  }
}

function setIn(section: Record<string, unknown>, path: readonly string[], value: unknown): void {
  const [key = '', ...rest] = path;
  if (rest.length === 0) {
    section[key] = value;
    return;
  }
  const inner = isSection(section[key]) ? section[key] : {};
  section[key] = inner;
  setIn(inner, rest, value);
}

function isSection(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function shortened(path: string): string {
  const short = relative(process.cwd(), path);
  return short === '' || short.startsWith('..') ? path : short;
}
