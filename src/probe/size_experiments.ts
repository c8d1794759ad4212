import type { Beliefs, SearchBeliefs } from './beliefs.ts';
import { broadest, broadQuery } from './broad.ts';
import { type Param, paramOf } from './exchange.ts';
import { queryParams, type SearchExperiment } from './experiment.ts';
import { isTruncated, sizesSent } from './pages.ts';
import { fittingUrl, namesFor, type ParamBeliefs } from './params.ts';
import { HUGE, USUAL } from './size.ts';

/** Searches that find the size parameter and the largest page. */

export function sizeExperiments(beliefs: Beliefs, search: SearchBeliefs): SearchExperiment[] {
  const { params, evidence, fullListing } = beliefs;
  const { param, maxSize } = search.size;
  const base = broadest(search);
  if (base === null) return [];
  const broad = () => queryParams(beliefs, broadQuery(beliefs, search, base));
  const isBroad = isTruncated(base, search.pages) !== 'no' || (base.total ?? 0) > base.rows.length;
  if (param.value !== null) {
    const { next, rows } = maxSize.value;
    if (next === null || (rows >= USUAL && evidence.searches.length >= 7)) return [];
    const isHugeSent = search.pages.some(
      (page) => page.rows.length > 1 && sizesSent(page).some(({ value }) => value >= HUGE),
    );
    if (isHugeSent && evidence.searches.length >= 7) return [];
    // A search without a query has the most matches.
    const query =
      isHugeSent && (base.total ?? 0) > rows
        ? queryParams(beliefs, base.query)
        : fullListing.value
          ? []
          : broad();
    return [
      {
        params: [...query, [param.value, String(next)]],
        why: sizeWhy(next),
        separates: {
          maxSize: 0.9,
          listing: query.length === 0 ? 0.9 : 0,
          minLength: 0.2,
          breadth: 0.3,
          paging: base.ids.length < MANY_ROWS && !isHugeSent ? 0.25 : 0,
        },
      },
    ];
  }
  const names = namesFor('size', params);
  if (params.mayBeStrict) {
    // A known parameter can be refused because its value is too large.
    const values = params.isStrict ? [HUGE, USUAL] : [search.size.byDefault === 3 ? 4 : 3];
    const isOwn = (name: string) => params.known.has(name) || params.ofEnvelope.includes(name);
    const wasRefused = (name: string, value: number) =>
      [...params.errors.keys()].some((one) => paramOf(one, name) === String(value));
    return names
      .filter((name) => isOwn(name) || !params.refusedAlone.has(name))
      .flatMap((name) => {
        const value = values.find((one) => !wasRefused(name, one));
        return value === undefined ? [] : [{ name, value }];
      })
      .slice(0, 5)
      .map(({ name, value }, index) => ({
        params: [...queryParams(beliefs, base.query), [name, String(value)]],
        why: `does ${name} set the page size?`,
        separates: {
          size: (isOwn(name) ? 0.9 : 0.22 * 0.9 ** index) * (isBroad ? 1 : 0.5),
          maxSize: 0.2,
        },
      }));
  }
  const { suspects, ignored } = search.size;
  const untried = names.filter((name) => !ignored.has(name));
  // A page size that the API itself names is no guess.
  const own = untried.filter((name) => params.known.has(name));
  const batch = suspects.length > 0 ? suspects : own.length > 0 ? own : untried;
  const wasHuge = evidence.searches.some(({ request }) =>
    request.params.some(([name, value]) => name === batch[0] && Number(value) >= HUGE),
  );
  if (batch.length === 0) return [];
  if (!wasHuge) {
    // Rare names are worth a call if there are certainly more rows.
    const isUnlikely = ignored.size > 0 && isTruncated(base, search.pages) !== 'yes';
    const likelihood = own.length > 0 ? 0.8 : ignored.size === 0 ? 0.6 : isUnlikely ? 0.2 : 0.5;
    const sizes = batch.map((name, index): Param => [name, String(HUGE + index)]);
    return [
      {
        params: [...broad(), ...fittingUrl(sizes)],
        why: 'how many rows fit on a page?',
        separates: {
          size: likelihood,
          maxSize: likelihood,
          breadth: 0.6,
          minLength: 0.3,
          // With many known rows, one request shows which parameter moves them.
          paging: base.ids.length < MANY_ROWS ? likelihood / 4 : 0,
        },
      },
    ];
  }
  const before = evidence.searches.filter(({ request }) => request.why === WHICH_SIZE);
  const isAgain = before.some(({ request }) => request.params.length <= batch.length);
  const query = suspects.length > 0 || isAgain ? queryParams(beliefs, base.query) : broad();
  return [
    {
      params: [...query, ...fittingUrl(unseenSizes(batch, search, before.length > 0 ? 2 : 12))],
      why: WHICH_SIZE,
      separates: {
        size: (isAgain ? 0.15 : suspects.length + own.length > 0 ? 0.9 : 0.4) * (isBroad ? 1 : 0.5),
        breadth: suspects.length > 0 ? 0 : 0.4,
      },
    },
  ];
}

const WHICH_SIZE = 'which parameter sets the page size?';

/** Returns the size parameter with the largest proven size, or with the next size to try if none was refused yet. */
export function maxPageSize({ size: { param, maxSize } }: SearchBeliefs, { evidence }: Beliefs): Param[] {
  const { rows, next } = maxSize.value;
  const name = param.value;
  if (name === null) return [];
  // A second refusal would show little about the size.
  const wasRefused = evidence.searches.some(
    ({ reading, request }) => reading === 'refused' && request.params.some(([sent]) => sent === name),
  );
  return [[name, String(next !== null && rows < USUAL && !wasRefused ? next : rows)]];
}

/** Returns the size parameter for a page of one row, or of two if the default is one. */
export function smallSize({ size: { param, byDefault } }: SearchBeliefs): Param[] {
  return param.value === null ? [] : [[param.value, byDefault === 1 ? '2' : '1']];
}

/** Returns the size parameters, each with its own value, downwards from a value that is rarely the default. */
export function smallSizes(params: ParamBeliefs): Param[] {
  const sizes = [19, 18, 17, 16, 14, 13, 11, 9, 8, 7, 6, 12, 15, 4, 21, 22, 23];
  return namesFor('size', params)
    .slice(0, sizes.length)
    .map((name, index): Param => [name, String(sizes[index])]);
}

/** Returns every size parameter with its own value, from `from` on, that is not the number of rows on a known page. */
export function unseenSizes(names: readonly string[], { pages }: SearchBeliefs, from: number): Param[] {
  const seen = new Set(pages.map(({ rows }) => rows.length));
  const sizes = Array.from({ length: names.length + seen.size }, (_, index) => index + from).filter(
    (size) => !seen.has(size),
  );
  return names.map((name, index): Param => [name, String(sizes[index])]);
}

/**
 * Reads, from the stored reason for a probe's call, the page size that the call requested. Returns null if the call was
 * not a size experiment.
 */
export function requestedSizeOf(why: string): string | null {
  const [size] = /\d+/.exec(why) ?? [];
  return size !== undefined && why === sizeWhy(Number(size)) ? size : null;
}

function sizeWhy(size: number): string {
  return `may a page hold ${size} rows?`;
}

/** With so many known rows, each of many candidates can move the first row by a different number. */
export const MANY_ROWS = 60;
