import { type Document, isMap, isScalar, type Pair, parseDocument, Scalar } from 'yaml';
import type { Dialect } from '../dialect/dialect.ts';

/** What goes into the file. */
export interface FoundDialect {
  readonly dialect: Dialect;
  /** By dotted key under `dialect`, such as `search.paging.size`: a remark to stand beside it. */
  readonly remarks: ReadonlyMap<string, string>;
  /** Under `upstream`, where the default join is wrong; null: leave it. */
  readonly paths: { readonly search: string; readonly entity: string; readonly stats: string } | null;
}

/**
 * The text of a configuration with the dialect put into it. Everything else stays as it is, comments included; so
 * do the keys of a dialect that is there already and that nothing new is known of.
 */
export function withDialect(text: string, { dialect, remarks, paths }: FoundDialect): string {
  const document = parseDocument(text);
  if (paths !== null) document.setIn(['upstream', 'paths'], document.createNode(paths, { flow: true }));
  const written = writtenForm(dialect);
  const isNew = !isMap(document.get('dialect', true));
  if (isNew) document.set('dialect', document.createNode({}));
  mergeInto(document, ['dialect'], written);
  for (const [key, remark] of remarks) remarkAt(document, ['dialect', ...key.split('.')], remark);
  if (isNew) introduce(document);
  return document.toString({ lineWidth: 0, flowCollectionPadding: true });
}

/** The text of a configuration with remarks at its end, where no dialect can be written yet. */
export function withQuestions(text: string, questions: readonly string[]): string {
  const document = parseDocument(text);
  const kept = (document.comment ?? '').split(`\n${QUESTIONS}`)[0];
  const lines = questions.map((question) => ` - ${question}`);
  document.comment = [kept, QUESTIONS, ...lines].filter((part) => part !== '').join('\n');
  return document.toString({ lineWidth: 0, flowCollectionPadding: true });
}

const QUESTIONS = ' The last probe left these questions open:';

/** Without what has its default, so that the file shows what is special. */
function writtenForm(dialect: Dialect): Record<string, unknown> {
  const { search, entity, stats, volatile, responses } = dialect;
  return {
    search: {
      ...search,
      ...(Object.keys(search.extra).length === 0 ? { extra: undefined } : {}),
      ...unlessDefault('identifier_param', search.identifier_param, null),
      ...unlessDefault('item', search.item, ''),
      ...unlessDefault('total_clamped_at', search.total_clamped_at, null),
      ...unlessDefault('min_length', search.min_length, 1),
      ...unlessDefault('absent_when_empty', search.absent_when_empty, false),
      paging: { ...search.paging, ...unlessDefault('window', search.paging.window, null) },
    },
    entity: {
      ...entity,
      ...unlessDefault('root', entity.root, ''),
      ...unlessDefault('gone', entity.gone, null),
    },
    stats,
    ...(volatile.length === 0 ? {} : { volatile }),
    ...(responses.length === 0 ? {} : { responses }),
  };
}

function unlessDefault(key: string, value: unknown, byDefault: unknown): Record<string, unknown> {
  return value === byDefault ? { [key]: undefined } : {};
}

/** Sets what is new leaf by leaf, so that remarks of a person at a key that stays remain. */
function mergeInto(document: Document, path: readonly string[], value: Record<string, unknown>): void {
  for (const [key, inner] of Object.entries(value)) {
    if (inner === undefined) continue;
    const here = [...path, key];
    if (isPlainObject(inner)) {
      if (!isMap(document.getIn(here, true))) document.setIn(here, document.createNode({}));
      mergeInto(document, here, inner);
    } else if (JSON.stringify(document.getIn(here)) !== JSON.stringify(inner)) setLeaf(document, here, inner);
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
