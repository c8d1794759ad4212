import type { VerdictKind } from '../../src/outcome.ts';
import { PUBLISHED_TABLES, type PublishedTable } from '../../src/warehouse/published_tables.ts';

export const COLUMNS_PAGE = new URL('../../docs/analysts.md', import.meta.url);

/** Every value of `_call.outcome`. */
const CALL_OUTCOMES = {
  received: 'the response is stored but not yet processed; the next run processes it without a call',
  ok: 'the response contains what the call requested',
  absent:
    'a 404 for a record, or a 410 without a record; the 410 proves that the company is gone, a 404 alone does not',
  gone: 'the registry reported the deletion, with its own mark or with a 410 that contains a record',
  refused: 'the query is too broad or invalid',
  throttled: 'rejected because the rate was exceeded',
  exhausted: 'rejected because the allowance is spent',
  unauthorised: 'the key was rejected',
  broken: 'the connection failed, or the response is unusable',
} as const satisfies Readonly<Record<VerdictKind | 'received', string>>;

/** The page's generated blocks, by the names in their markers. */
const BLOCKS = {
  tables: () =>
    markdownTable(
      ['table', 'one row per', 'use it for'],
      PUBLISHED_TABLES.map(({ name, rowPer, use }) => [`\`${name}\``, rowPer ?? '', use]),
    ),
  outcomes: () =>
    markdownTable(
      ['`_call.outcome`', 'meaning'],
      Object.entries(CALL_OUTCOMES).map(([outcome, meaning]) => [`\`${outcome}\``, meaning]),
    ),
  columns: () => [sharedSection(), ...PUBLISHED_TABLES.map(tableSection)].join('\n\n'),
};

/** Returns the page with current generated blocks. @throws Error if the page lacks one of the blocks. */
export function withColumns(page: string): string {
  return Object.entries(BLOCKS).reduce((text, [name, block]) => {
    const [begin, end] = [`<!-- ${name}: written by \`npm run docs:columns\` -->`, `<!-- end of ${name} -->`];
    const [before, rest] = text.split(begin);
    const after = rest?.split(end)[1];
    if (before === undefined || after === undefined) throw new Error(`the page has no block ${name}`);
    return `${before}${begin}\n\n${block()}\n\n${end}${after}`;
  }, page);
}

/** The lines that describe a column in several tables. */
const SHARED = [
  ...Map.groupBy(
    PUBLISHED_TABLES.flatMap(({ columns }) => columns),
    columnLine,
  ),
].flatMap(([line, { length }]) => (length > 1 ? [line] : []));

function sharedSection(): string {
  return `### In several tables\n\n${columnTable(SHARED)}`;
}

function tableSection({ name, columns }: PublishedTable): string {
  const own = columns.map(columnLine).filter((line) => !SHARED.includes(line));
  const others = columns.filter((column) => SHARED.includes(columnLine(column)));
  const named = others.map((column) => `\`${column.name}\``).join(', ');
  return [
    `### \`${name}\``,
    ...(named === '' ? [] : [`${named}${own.length === 0 ? '' : ', and:'}`]),
    ...(own.length === 0 ? [] : [columnTable(own)]),
  ].join('\n\n');
}

function columnLine({ name, meaning, isOptional }: PublishedTable['columns'][number]): string {
  return `| \`${name}\`${isOptional ? ', if needed' : ''} | ${meaning} |`;
}

function columnTable(lines: readonly string[]): string {
  return ['| column | meaning |', '|---|---|', ...lines].join('\n');
}

function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join('\n');
}
