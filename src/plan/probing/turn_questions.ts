import type { Asked } from './asked.ts';
import { broadest } from './broad.ts';
import type { Conclusions, SearchConclusions } from './conclusions.ts';
import { nextCursors } from './cursor.ts';
import type { Param } from './exchange.ts';
import { type Draft, isLenient, wasAsked } from './query_parameter.ts';
import { likeliest, sizeTags } from './size_questions.ts';
import { designAgain, designTurn, LIKELY_WAYS, type Reach, waysLeft } from './turn_design.ts';

/** How the next page is asked for, and with the same call the parameter of the size where that is open. */
export function askForTurning(conclusions: Conclusions, search: SearchConclusions, most = 4): Draft | null {
  const { query, queryParam } = conclusions;
  if (search.turning.certainty === 'sure') return null;
  const base = broadest(search);
  if (base === null) return null;
  const text: Param = [queryParam.value ?? '', base.text ?? ''];
  const lenient = isLenient(query.searches);
  const drafts =
    search.turning.signpost?.is === 'cursor'
      ? cursorDrafts(text, search, lenient)
      : search.turning.moves.length > 0
        ? tellingApart(text, base, search, lenient)
        : firstTurn(text, base, search, { lenient, most });
  return drafts.find(({ params }) => !wasAsked(query.searches, params)) ?? null;
}

/** Where parameters must be tried one by one, the less likely ones come when other things are known. */
export function askForMoreTurning(conclusions: Conclusions, search: SearchConclusions): Draft | null {
  return askForTurning(conclusions, search, ONE_BY_ONE.length);
}

function firstTurn(
  text: Param,
  base: Asked,
  search: SearchConclusions,
  { lenient, most }: { readonly lenient: boolean; readonly most: number },
): Draft[] {
  const nothingMoved = search.turning.turned.some(
    ({ shift, one }) => shift === 0 && one.search.request.params.length > 8,
  );
  if (nothingMoved) return [];
  const alone = likeliest(ONE_BY_ONE, search).map(
    (name): Draft => ({
      params: [text, ...smallSize(search), [name, '2']],
      why: `does ${name} turn the page?`,
    }),
  );
  return lenient ? [everyTurn(text, base, search), ...alone.slice(0, 3)] : alone.slice(0, most);
}

const ONE_BY_ONE = [
  ...[
    'page',
    'offset',
    'start',
    'p',
    'page_number',
    'skip',
    'start_index',
    'page[number]',
    'from',
    'pageNumber',
  ],
];

/** Every likely parameter at once, each with a value that would move the first row by another number of rows. */
function everyTurn(text: Param, base: Asked, search: SearchConclusions): Draft {
  const { param, byDefault } = search.size;
  const why = 'which parameter turns the page? (each moves the rows differently)';
  const sizes = param.value === null ? sizeTags(search, 2) : smallSize(search);
  // Where no size is heeded every page leads beyond the rows that were seen: the second one, to know it again.
  const isFixed = param.value === null && base.ids.length === byDefault;
  const pageSizes = isFixed ? [byDefault ?? 1] : sizes.map(([, value]) => Number(value));
  return { params: [text, ...sizes, ...designTurn(LIKELY_WAYS, pageSizes, reachOf(base))], why };
}

/** Several parameters explain what came: values for them that tell them apart. */
function tellingApart(text: Param, base: Asked, search: SearchConclusions, lenient: boolean): Draft[] {
  const { moves, turned } = search.turning;
  if (moves.length === 1) return [];
  const ways = waysLeft(moves);
  const size = smallSize(search);
  const step = size.length > 0 ? Number(size[0]?.[1]) : (search.size.byDefault ?? base.ids.length);
  const why = `is it ${ways
    .slice(0, 3)
    .map(({ param }) => param)
    .join(', or ')} that turns the page?`;
  const alone = ways.map(
    (way): Draft => ({ params: [text, ...size, ...designTurn([way], [step], reachOf(base))], why }),
  );
  if (!lenient) return alone;
  const visible: Draft = { params: [text, ...size, ...designTurn(ways, [step], reachOf(base))], why };
  const beyond = turned.filter(({ shift }) => shift === 'beyond');
  const far = beyond.find(({ one }) => one.ids.length > 0) ?? beyond[0];
  const again: Draft[] = far === undefined ? [] : [{ params: [text, ...designAgain(ways, far)], why }];
  return step * 2 < base.ids.length ? [visible, ...again, ...alone] : [...again, visible, ...alone];
}

function smallSize({ size: { param, byDefault } }: SearchConclusions): Param[] {
  return param.value === null ? [] : [[param.value, byDefault === 1 ? '2' : '1']];
}

function reachOf({ ids, total }: Asked): Reach {
  return { seen: ids.length, total: total ?? Number.POSITIVE_INFINITY };
}

/** The cursors that are known, each with another parameter. */
function cursorDrafts(text: Param, { asked }: SearchConclusions, lenient: boolean): Draft[] {
  const params = nextCursors(text[1], asked);
  const why = `does ${params.map(([name]) => name).join(', or ')} take the cursor?`;
  if (
    params.length === 0 ||
    asked.filter(({ search }) => search.request.why.endsWith('take the cursor?')).length >= 6
  )
    return [];
  return [{ params: [text, ...(lenient ? params : params.slice(0, 1))], why }];
}
