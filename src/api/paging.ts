import type { Paging } from '../dialect/paging/paging.ts';
import type { Pointer } from '../json/pointer.ts';

/** The parameters of a request, checked against the schema of the route. */
export type QueryParameters = Readonly<Record<string, unknown>>;

/** The service's half of one paging style. The client's half is in `src/dialect/paging/`. */
export interface ServicePaging<Settings = Paging> {
  /** The query parameters of the style. */
  parametersOf(paging: Settings): Readonly<Record<string, PageParameter>>;
  /** Position of the requested page's first row, from 0; null: the cursor is not valid. */
  offsetOf(paging: Settings, parameters: QueryParameters, size: number): number | null;
  /** The link to the page that starts at `offset`; null: the style has no links. */
  linkTo(offset: number, paging: Settings, request: PageUrls): PageLink | null;
  /** JSON path of the link in the body; null: the body has none. */
  linkPath(paging: Settings): Pointer | null;
}

/** A cursor, or a whole number from `minimum` on. */
export type PageParameter =
  | { readonly is: 'cursor'; readonly description: string }
  | { readonly is: 'number'; readonly minimum: number; readonly description: string };

/** Writes the URL of the current request with one parameter changed. */
export interface PageUrls {
  urlWith(parameter: string, value: string): string;
}

/** A cursor or URL, and the headers that contain it. */
export interface PageLink {
  readonly value: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Every style of paging, as the service implements it. */
export const SERVICE_PAGING: ServicePagings<Paging> = {
  none: {
    parametersOf: () => ({}),
    offsetOf: () => 0,
    linkTo: () => null,
    linkPath: () => null,
  },
  page: {
    parametersOf: ({ param, first }) => ({
      [param]: { is: 'number', minimum: first, description: 'number of the page' },
    }),
    offsetOf: ({ param, first }, parameters, size) => {
      const page = parameters[param];
      return typeof page === 'number' ? (page - first) * size : 0;
    },
    linkTo: () => null,
    linkPath: () => null,
  },
  offset: {
    parametersOf: ({ param, first }) => ({
      [param]: { is: 'number', minimum: first, description: 'position of the first row' },
    }),
    offsetOf: ({ param, first }, parameters) => {
      const offset = parameters[param];
      return typeof offset === 'number' ? offset - first : 0;
    },
    linkTo: () => null,
    linkPath: () => null,
  },
  cursor: {
    parametersOf: ({ param }) => ({
      [param]: { is: 'cursor', description: 'cursor of the page, from the page before' },
    }),
    offsetOf: ({ param, first }, parameters) =>
      parameters[param] === first ? 0 : offsetAt(parameters[param]),
    linkTo: (offset) => ({ value: cursorAt(offset), headers: {} }),
    linkPath: ({ next }) => next,
  },
  next_url: {
    parametersOf: () => ({ [NEXT_PARAM]: URL_CURSOR }),
    offsetOf: (_paging, parameters) => offsetAt(parameters[NEXT_PARAM]),
    linkTo: (offset, _paging, { urlWith }) => ({
      value: urlWith(NEXT_PARAM, cursorAt(offset)),
      headers: {},
    }),
    linkPath: ({ next }) => next,
  },
  link_header: {
    parametersOf: () => ({ [NEXT_PARAM]: URL_CURSOR }),
    offsetOf: (_paging, parameters) => offsetAt(parameters[NEXT_PARAM]),
    linkTo: (offset, _paging, { urlWith }) => {
      const url = urlWith(NEXT_PARAM, cursorAt(offset));
      return { value: url, headers: { link: `<${url}>; rel="next"` } };
    },
    linkPath: () => null,
  },
};

/** One half for each style: a style without one does not compile. */
export type ServicePagings<Settings extends { readonly style: string }> = {
  readonly [Style in Settings['style']]: ServicePaging<Extract<Settings, { readonly style: Style }>>;
};

/** The service's half of the style of these settings. */
export function servicePaging({ style }: Paging): ServicePaging {
  return SERVICE_PAGING[style];
}

/** Number of the first page, for responses that repeat the page number. */
export function firstPageNumber(paging: Paging): number {
  return paging.style === 'page' ? paging.first : 1;
}

/** The cursor of the row at a position: opaque to clients. */
function cursorAt(offset: number): string {
  return Buffer.from(`row:${offset}`).toString('base64url');
}

function offsetAt(cursor: unknown): number | null {
  if (cursor === undefined || cursor === '') return 0;
  const text = Buffer.from(String(cursor), 'base64url').toString();
  return /^row:\d{1,12}$/.test(text) ? Number(text.slice(4)) : null;
}

/** The parameter of next-page URLs. */
const NEXT_PARAM = 'after';
const URL_CURSOR = { is: 'cursor', description: 'cursor of the page: part of the next-page URL' } as const;
