import type { Paging } from '../dialect/paging/paging.ts';
import type { Pointer } from '../json/pointer.ts';

/** A request's query parameters. The route's schema has already validated them. */
export type QueryParameters = Readonly<Record<string, unknown>>;

/** The server side of a paging style. `src/dialect/paging/` contains the client side. */
interface ServicePaging<Settings = Paging> {
  /** Returns the style's query parameters. */
  parametersOf(paging: Settings): Readonly<Record<string, PageParameter>>;
  /** Returns the position of the requested page's first row, counted from 0, or null if the cursor is invalid. */
  offsetOf(paging: Settings, parameters: QueryParameters, size: number): number | null;
  /** Returns the link to the page that starts at `offset`, or null if the style has no links. */
  linkTo(offset: number, paging: Settings, request: PageUrls): PageLink | null;
  /** Returns the JSON path to the link in the body, or null if the body has no link. */
  linkPath(paging: Settings): Pointer | null;
}

/** A parameter that takes a cursor, or a whole number of at least `minimum`. */
type PageParameter =
  | { readonly is: 'cursor'; readonly description: string }
  | { readonly is: 'number'; readonly minimum: number; readonly description: string };

/** Returns the URL of the current request with one parameter changed. */
interface PageUrls {
  urlWith(parameter: string, value: string): string;
}

/** A cursor or URL, with any headers that contain it. */
export interface PageLink {
  readonly value: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** The server side of every paging style. */
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
      [param]: { is: 'cursor', description: 'cursor that the previous page returned' },
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

/** The server side of every paging style. If one is missing, the code does not compile. */
export type ServicePagings<Settings extends { readonly style: string }> = {
  readonly [Style in Settings['style']]: ServicePaging<Extract<Settings, { readonly style: Style }>>;
};

/** Returns the server side of the paging style in these settings. */
export function servicePaging({ style }: Paging): ServicePaging {
  return SERVICE_PAGING[style];
}

/** Returns the first page's number, for responses that include the page number. */
export function firstPageNumber(paging: Paging): number {
  return paging.style === 'page' ? paging.first : 1;
}

/** Returns the cursor for the row at a position. Clients cannot interpret the cursor. */
function cursorAt(offset: number): string {
  return Buffer.from(`row:${offset}`).toString('base64url');
}

function offsetAt(cursor: unknown): number | null {
  if (cursor === undefined || cursor === '') return 0;
  const text = Buffer.from(String(cursor), 'base64url').toString();
  return /^row:\d{1,12}$/.test(text) ? Number(text.slice(4)) : null;
}

/** The parameter in next-page URLs. */
const NEXT_PARAM = 'after';
const URL_CURSOR = { is: 'cursor', description: 'cursor in the next-page URL' } as const;
