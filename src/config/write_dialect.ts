import { type Document, isMap, isScalar, type Pair, parseDocument, Scalar } from 'yaml';
import type { Dialect } from '../dialect/dialect.ts';

/** What goes into the file. */
export interface FoundDialect {
  readonly dialect: Dialect;
  /** By dotted key under `dialect`, such as `search.paging.size`: a remark to stand beside it. */
  readonly remarks: ReadonlyMap<string, string>;
  /** Keys that were not found out: what the file says of them stays. */
  readonly open: ReadonlySet<string>;
  /** Under `upstream`, where the default join is wrong; null: leave it. */
  readonly paths: { readonly search: string; readonly entity: string; readonly stats: string } | null;
}

/**
 * The text of a configuration with the dialect put into it. Everything else stays as it is, comments included; so
 * do the keys of a dialect that is there already and that nothing new is known of.
 */
export function withDialect(text: string, { dialect, remarks, open, paths }: FoundDialect): string {
  const document = parseDocument(text);
  if (paths !== null) document.setIn(['upstream', 'paths'], document.createNode(paths, { flow: true }));
  const written = writtenForm(dialect);
  const isNew = !isMap(document.get('dialect', true));
  if (isNew) document.set('dialect', document.createNode({}));
  dropQuestions(document);
  const style = document.getIn(PAGING_STYLE);
  if (style !== undefined && style !== dialect.search.paging.style && !open.has('search.paging'))
    document.deleteIn(PAGING_STYLE.slice(0, -1));
  mergeInto(document, ['dialect'], written, open);
  for (const [key, remark] of remarks) remarkAt(document, ['dialect', ...key.split('.')], remark);
  if (isNew) introduce(document);
  return document.toString({ lineWidth: 0, flowCollectionPadding: true });
}

/** The text of a configuration with remarks at its end, where no dialect can be written yet. */
export function withQuestions(text: string, questions: readonly string[]): string {
  const document = parseDocument(text);
  dropQuestions(document);
  const lines = questions.map((question) => ` - ${question}`);
  document.comment = [document.comment ?? '', QUESTIONS, ...lines].filter((part) => part !== '').join('\n');
  return document.toString({ lineWidth: 0, flowCollectionPadding: true });
}

const QUESTIONS = ' The last probe left these questions open:';

/** Those of an earlier probe are answered, or asked again. */
function dropQuestions(document: Document): void {
  const comment = document.comment ?? '';
  const at = comment.indexOf(QUESTIONS);
  if (at !== -1) document.comment = comment.slice(0, at).trimEnd() || null;
}

const PAGING_STYLE = ['dialect', 'search', 'paging', 'style'];

/**
 * As it is written: without what has its default, so that the file shows what is special, and without what no probe
 * finds out, so that it stays.
 */
function writtenForm({ search, entity, stats, volatile, responses }: Dialect): Section {
  const { extra, ...found } = search;
  const { window, ...paging } = search.paging;
  return {
    search: {
      ...found,
      ...(Object.keys(extra).length === 0 ? {} : { extra }),
      identifier_param: search.identifier_param ?? DEFAULT,
      item: search.item || DEFAULT,
      total_clamped_at: search.total_clamped_at ?? DEFAULT,
      min_length: search.min_length === 1 ? DEFAULT : search.min_length,
      absent_when_empty: search.absent_when_empty || DEFAULT,
      paging: { ...paging, ...(window === null ? {} : { window }) },
    },
    entity: {
      root: entity.root || DEFAULT,
      id: entity.id,
      name: entity.name,
      ...(entity.gone === null ? {} : { gone: entity.gone }),
    },
    stats,
    ...(volatile.length === 0 ? {} : { volatile }),
    ...(responses.length === 0 ? {} : { responses }),
  };
}

type Section = { readonly [key: string]: unknown };

/** Nothing need be written, and nothing else may stand there. */
const DEFAULT = Symbol('default');

/** Sets what is new leaf by leaf, so that remarks of a person at a key that stays remain. */
function mergeInto(
  document: Document,
  path: readonly string[],
  section: Section,
  open: ReadonlySet<string>,
): void {
  for (const [key, value] of Object.entries(section)) {
    const here = [...path, key];
    const isThere = document.hasIn(here);
    if (isThere && open.has(here.slice(1).join('.'))) continue;
    if (value === DEFAULT) {
      if (isThere) document.deleteIn(here);
    } else if (isPlainObject(value)) {
      if (!isMap(document.getIn(here, true))) document.setIn(here, document.createNode({}));
      mergeInto(document, here, value, open);
    } else if (JSON.stringify(document.getIn(here)) !== JSON.stringify(value)) setLeaf(document, here, value);
  }
}

function setLeaf(document: Document, path: readonly string[], value: unknown): void {
  const before = document.getIn(path, true);
  if (isScalar(before) && (typeof value !== 'object' || value === null)) before.value = value;
  else document.setIn(path, document.createNode(value, { flow: !Array.isArray(value) }));
}

function remarkAt(document: Document, path: readonly string[], remark: string): void {
  const pair = pairAt(document, path);
  if (pair === null) return;
  // Beside a value it stands on its line; a section has it above.
  if (isScalar(pair.value) && !isInFlow(document, path)) pair.value.comment = ` ${remark}`;
  else pair.key.commentBefore = ` ${remark}`;
}

function isInFlow(document: Document, path: readonly string[]): boolean {
  const parent = document.getIn(path.slice(0, -1), true);
  return isMap(parent) && parent.flow === true;
}

/** The pair at a path, its key as a node that can carry a remark. */
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
}

const INTRODUCTION =
  ' How the API speaks, as `registry-mirror probe` found it; `registry-mirror config validate` says it in words.';

function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
