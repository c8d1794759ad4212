import type { Dialect, EntityDialect, Paging, ResponseRule, SearchDialect } from './dialect.ts';

/** A dialect in plain words, by subject, so that a person can check it against what the API answers. */
export interface DialectInWords {
  readonly search: readonly string[];
  readonly records: readonly string[];
  readonly statistics: readonly string[];
  /** The rows of the response table, in their order. */
  readonly responses: readonly string[];
}

export function describeDialect(dialect: Dialect): DialectInWords {
  return {
    search: [...asking(dialect.search), ...reading(dialect.search), ...paging(dialect.search.paging)],
    records: [...records(dialect.entity), ...volatile(dialect)],
    statistics: [
      dialect.stats.total === null
        ? 'Nothing says how many companies the registry holds.'
        : `How many companies the registry holds stands at ${place(dialect.stats.total)}.`,
    ],
    responses: dialect.responses.map(rule),
  };
}

function asking(search: SearchDialect): string[] {
  const identifiers = search.identifier_param;
  const extra = Object.entries(search.extra).map(([name, value]) => `${name}=${value}`);
  return [
    `Names are asked for with the parameter ${search.query_param}${identifiers === null ? '' : `, identifiers with ${identifiers}`}.`,
    NAMES[search.matches],
    IDENTIFIERS[search.identifiers],
    ...(search.min_length > 1 ? [`A query needs at least ${search.min_length} characters.`] : []),
    ...(search.min_length === 0 ? [`A search without ${search.query_param} lists everything.`] : []),
    ...(extra.length > 0 ? [`Every search also sends ${extra.join(' and ')}.`] : []),
  ];
}

const NAMES: Record<SearchDialect['matches'], string> = {
  prefix: 'A query finds the names that begin with it.',
  token: 'A query finds the names that hold its words, whole.',
  token_prefix: 'A query finds the names with words that begin with its words.',
  substring: 'A query finds the names that hold it anywhere.',
  unknown: 'How a query finds names is not known yet; it is learned while running.',
};

const IDENTIFIERS: Record<SearchDialect['identifiers'], string> = {
  prefix: 'Identifiers are found by how they begin.',
  exact: 'Identifiers are found only when they are asked for whole.',
  none: 'Identifiers cannot be searched for.',
  unknown: 'Whether identifiers can be searched for is not known yet; it is learned while running.',
};

function reading(search: SearchDialect): string[] {
  const clamp = search.total_clamped_at;
  return [
    `The list of results is at ${place(search.results)}${search.item === '' ? '' : `, each company inside its element at ${search.item}`}.`,
    `There the id is at ${search.id}${search.name === null ? ', and no name is shown' : ` and the name at ${search.name}`}.`,
    search.total === null
      ? 'Nothing says how many companies a query matches in all.'
      : `How many companies a query matches in all stands at ${place(search.total)}${clamp === null ? '' : `; from ${clamp} on it means "at least"`}.`,
    ...(search.absent_when_empty ? ['A missing list means that nothing was found.'] : []),
  ];
}

function paging(style: Paging): string[] {
  const rows = style.size === 1 ? '1 row' : `${style.size} rows`;
  return [
    turning(style),
    style.size_param === null
      ? `A page holds ${rows}.`
      : `A page holds ${rows}, asked for with ${style.size_param}.`,
    ...(style.window === null
      ? []
      : [`Of one query at most the first ${style.window} results can be reached.`]),
  ];
}

function turning(style: Paging): string {
  switch (style.style) {
    case 'none':
      return 'There is one page only.';
    case 'page':
      return `Pages are turned with ${style.param}; they start at ${style.first}.`;
    case 'offset':
      return `Pages are turned with ${style.param}, the position of the first row; positions start at ${style.first}.`;
    case 'cursor':
      return `Pages are turned with ${style.param}, which takes the cursor that the page before holds at ${place(style.next)}${style.first === null ? '' : `; the first is ${style.first}`}.`;
    case 'next_url':
      return `Each page holds the address of the next one at ${place(style.next)}.`;
    case 'link_header':
      return 'The header Link holds the address of the next page.';
  }
}

function records({ root, id, name, gone }: EntityDialect): string[] {
  return [
    `The record is ${root === '' ? 'the whole body' : `at ${root}`}; in it the id is at ${id}${name === null ? '' : ` and the name at ${name}`}.`,
    gone === null
      ? 'A deleted company has no mark of its own in the body.'
      : `A deleted company is marked at ${gone.at}${gone.is === undefined ? '' : ` with ${JSON.stringify(gone.is)}`}.`,
  ];
}

function volatile({ volatile: places }: Dialect): string[] {
  return places.length === 0 ? [] : [`A change at ${places.join(', ')} counts as no change.`];
}

function rule({ status, kind, at, is, matches, header, means }: ResponseRule): string {
  const statuses = status === undefined ? [] : [`HTTP ${[status].flat().join(' or ')}`];
  const conditions = [
    ...(is === undefined ? [] : [`${JSON.stringify(is)} at ${place(at ?? '')}`]),
    ...(matches === undefined
      ? []
      : [`/${matches}/ in ${at === undefined ? 'the body' : `the text at ${place(at)}`}`]),
    ...(is === undefined && matches === undefined && at !== undefined ? [`something at ${place(at)}`] : []),
    ...(header === undefined ? [] : [`the header ${header}`]),
  ];
  const subject = [statuses[0] ?? 'Any answer', ...conditions].join(' with ');
  return `${subject}${kind === undefined ? '' : `, for ${KINDS[kind]}`}: ${MEANINGS[means]}.`;
}

const KINDS = { stats: 'the statistics', search: 'a search', entity: 'a record' } as const;

const MEANINGS: Record<ResponseRule['means'], string> = {
  ok: 'a good answer',
  absent: 'there is no such company',
  gone: 'the company was deleted',
  refused: 'the query is in vain',
  throttled: 'too fast, ask again later',
  exhausted: 'the allowance is spent',
  unauthorised: 'the key is refused',
  broken: 'the API failed',
};

function place(pointer: string): string {
  return pointer === '' ? 'the top of the body' : pointer;
}
