import { type Document, isMap, isScalar, type Pair, parseDocument, Scalar } from 'yaml';
import { Dialect } from '../dialect/dialect.ts';
import type { ConfigInput } from './schema.ts';

/** The parts of a dialect that the probe writes into the file. */
export interface FoundDialect {
  readonly dialect: Dialect;
  /** Comments by dotted key under `dialect`, such as `search.paging.size`. */
  readonly remarks: ReadonlyMap<string, string>;
  /** Keys for which the probe found no value. The file's values for these keys stay the same. */
  readonly open: ReadonlySet<string>;
  /** The values for `upstream.paths`; null if the default paths are correct. */
  readonly paths: { readonly search: string; readonly entity: string; readonly stats: string | null } | null;
  /** The header that sends the key; null if the header in the file, or otherwise the default, is correct. */
  readonly keyHeader?: string | null;
}

/**
 * Returns the configuration text with the dialect added. Other keys and comments stay the same. So do keys in an
 * existing dialect for which the probe found no value.
 */
export function withDialect(
  text: string,
  { dialect, remarks, open, paths, keyHeader = null }: FoundDialect,
): string {
  const document = parseDocument(text);
  if (paths !== null) document.setIn(['upstream', 'paths'], document.createNode(paths, { flow: true }));
  if (keyHeader !== null) document.setIn(['upstream', 'key_header'], keyHeader);
  const written = writtenForm(dialect);
  const isNew = !isMap(document.get('dialect', true));
  if (isNew) document.set('dialect', document.createNode({}));
  dropQuestions(document);
  const style = document.getIn(PAGING_STYLE);
  if (style !== undefined && style !== dialect.search.paging.style && !open.has('search.paging'))
    document.deleteIn(PAGING_STYLE.slice(0, -1));
  const kept = mergeInto(document, ['dialect'], written, open);
  for (const [key, comment] of remarks)
    if (!kept.includes(key)) addComment(document, ['dialect', ...key.split('.')], comment);
  if (isNew) introduce(document);
  return document.toString({ lineWidth: 0, flowCollectionPadding: true });
}

/**
 * Returns the configuration text with the open questions added at the end, for a probe that found no dialect. If the
 * file has no dialect, what was `found` follows as a comment, so that a user only corrects it.
 */
export function withQuestions(
  text: string,
  questions: readonly string[],
  found: FoundDialect | null = null,
): string {
  const document = parseDocument(text);
  dropQuestions(document);
  const lines = questions.map((question) => ` - ${question}`);
  if (found !== null && !document.has('dialect')) lines.push(FOUND, ...linesOf(found));
  document.comment = [document.comment ?? '', QUESTIONS, ...lines].filter((part) => part !== '').join('\n');
  return document.toString({ lineWidth: 0, flowCollectionPadding: true });
}

const QUESTIONS = ' The last probe left these questions open:';
const FOUND =
  ' It found the following. To use it, correct what is open, remove the number signs, and run `registry-mirror sync`.';

/** Returns the lines of the dialect alone. */
function linesOf(found: FoundDialect): string[] {
  const text = withDialect('', { ...found, paths: null, keyHeader: null });
  return text.trim().replace(`#${INTRODUCTION}\n`, '').split('\n');
}

/** Removes the questions that an earlier probe wrote. The new probe has answered or repeated them. */
function dropQuestions(document: Document): void {
  const comment = document.comment ?? '';
  const at = comment.indexOf(QUESTIONS);
  if (at !== -1) document.comment = comment.slice(0, at).trimEnd() || null;
}

const PAGING_STYLE = ['dialect', 'search', 'paging', 'style'];

/** Returns the keys and values to write. Most default values are omitted to keep the file short. */
function writtenForm({ search, entity, stats, volatile, responses }: Dialect): Section {
  const { window, uneven, ...paging } = search.paging;
  return {
    search: {
      ...withoutDefaults(search, DEFAULTS.search),
      paging: { ...paging, ...(window !== null && { window }), uneven: uneven || DEFAULT },
    },
    entity: withoutDefaults(entity, DEFAULTS.entity),
    stats,
    ...withoutDefaults({ volatile, responses }, DEFAULTS),
  };
}

function withoutDefaults(section: Section, defaults: Section): Section {
  const entries = Object.entries(section).flatMap(([key, value]) => {
    if (WRITTEN.has(key) || JSON.stringify(value) !== JSON.stringify(defaults[key])) return [[key, value]];
    return UNLEARNED.has(key) ? [] : [[key, DEFAULT]];
  });
  return Object.fromEntries(entries);
}

const DEFAULTS = Dialect.parse({
  search: { query_param: 'q', paging: { style: 'none' }, results: '', id: '' },
  entity: { id: '' },
});

/** Keys that are written even with their default value, because they describe the API. */
const WRITTEN = new Set(['query_param', 'results', 'id', 'name', 'total', 'matches', 'identifiers']);

/** Keys that the probe does not always learn. Without a value, they are omitted, so that their values in the file stay. */
const UNLEARNED = new Set(['extra', 'gone', 'volatile', 'responses']);

type Section = { readonly [key: string]: unknown };

/** Marks a key that has its default value. Such a key is not written, and a different value in the file is deleted. */
const DEFAULT = Symbol('default');

/**
 * Sets changed values one by one, so that the user's comments on other keys are kept. Returns the dotted keys of the values
 * in the file for which the probe found none. They keep the comments of the probe that found them.
 */
function mergeInto(
  document: Document,
  path: readonly string[],
  section: Section,
  open: ReadonlySet<string>,
): string[] {
  return Object.entries(section).flatMap(([key, value]) => {
    const here = [...path, key];
    const isSection = isPlainObject(value);
    // If the next page is open, so is the style, but not the page size beside it.
    const finding = (key === 'style' ? path : here).slice(1).join('.');
    const before = isSection ? null : (document.getIn(here) ?? null);
    const isSame = JSON.stringify(before) === JSON.stringify(value);
    if (before !== null && !isSame && open.has(finding)) return [finding];
    dropRemark(document, here);
    if (value === DEFAULT) document.deleteIn(here);
    else if (isSection) {
      if (!isMap(document.getIn(here, true))) document.setIn(here, document.createNode({}));
      return mergeInto(document, here, value, open);
    } else if (!isSame || !document.hasIn(here)) setLeaf(document, here, value);
    return [];
  });
}

function setLeaf(document: Document, path: readonly string[], value: unknown): void {
  const before = document.getIn(path, true);
  if (isScalar(before) && (typeof value !== 'object' || value === null)) before.value = value;
  else document.setIn(path, document.createNode(value, { flow: !Array.isArray(value) }));
}

function addComment(document: Document, path: readonly string[], comment: string): void {
  const pair = pairAt(document, path);
  if (pair === null) return;
  // A value's comment is on the same line. A section's comment is above it.
  if (isScalar(pair.value) && !isInFlow(document, path)) pair.value.comment = ` ${comment}`;
  else pair.key.commentBefore = ` ${comment}`;
}

/** Removes the comment of an earlier probe. */
function dropRemark(document: Document, path: readonly string[]): void {
  const pair = pairAt(document, path);
  if (pair === null) return;
  if (isScalar(pair.value) && REMARK.test(pair.value.comment ?? '')) pair.value.comment = null;
  if (REMARK.test(pair.key.commentBefore ?? '')) pair.key.commentBefore = null;
}

const REMARK = /^ (likely|open|question): .*$/;

function isInFlow(document: Document, path: readonly string[]): boolean {
  const parent = document.getIn(path.slice(0, -1), true);
  return isMap(parent) && parent.flow === true;
}

/** Returns the key-value pair at a path. The key is a node, so it can have a comment. */
function pairAt(document: Document, path: readonly string[]): Pair<Scalar, unknown> | null {
  const parent = path.length === 1 ? document.contents : document.getIn(path.slice(0, -1), true);
  if (!isMap(parent)) return null;
  const pair = parent.items.find(({ key }) => (isScalar(key) ? key.value : key) === path.at(-1));
  if (pair === undefined) return null;
  if (!isScalar(pair.key)) pair.key = new Scalar(pair.key);
  return pair as Pair<Scalar, unknown>;
}

function introduce(document: Document): void {
  const pair = pairAt(document, ['dialect']);
  if (pair === null) return;
  pair.key.commentBefore = INTRODUCTION;
  pair.key.spaceBefore = true;
  document.comment = document.comment?.replace(DIALECT_HINT, '').trim() || null;
}

/** The template's comment in place of a dialect. */
const DIALECT_HINT =
  ' Details of the API: `registry-mirror probe` learns them in a few calls and writes them here under `dialect`.';

const INTRODUCTION =
  ' Details of the API, written by `registry-mirror probe`. `registry-mirror config validate` explains them in plain English.';

function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Returns the text of a new configuration: the template's, with these values.
 *
 * @param schemaPath the path of the JSON Schema, for editors.
 */
export function newConfiguration(template: string, schemaPath: string, values: ConfigInput): string {
  const document = parseDocument(
    template.replace('$schema=configuration.schema.json', `$schema=${schemaPath}`),
  );
  mergeInto(document, [], values, new Set());
  return document.toString({ lineWidth: 0, flowCollectionPadding: true });
}
