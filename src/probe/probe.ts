import { type Addresses, joinsOf } from './addresses.ts';
import { type Conclusions, conclude, type ProbeInput, type SearchConclusions } from './conclusions.ts';
import type { Exchange, ProbeRequest } from './evidence.ts';
import { askForBreadth, askForHugePage, askForMaxPageSize, askForSizeParam } from './page_size_questions.ts';
import { askForMorePaging, askForPaging } from './paging_probe.ts';
import type { SearchDraft } from './query_parameter.ts';
import { isStrict } from './query_parameter.ts';
import {
  askForAbsence,
  askForFullListing,
  askForIdentifiers,
  askForMinQueryLength,
  askForNothing,
  askForRecord,
  askForRows,
  askForSemantics,
} from './questions.ts';

export type { Conclusions, Hints, ProbeInput, SearchConclusions } from './conclusions.ts';

/** What to do next: a question to send, or the end of asking. */
export interface Probing {
  readonly conclusions: Conclusions;
  readonly ask: ProbeRequest | null;
}

/**
 * Learns how an upstream speaks from the answers so far, and chooses the question that tells most. Pure: all
 * state is in the exchanges, so that a probe goes on where another one stopped.
 */
export function probe(input: ProbeInput): Probing {
  const conclusions = conclude(input);
  return { conclusions, ask: nextQuestion(input, conclusions) };
}

function nextQuestion(input: ProbeInput, conclusions: Conclusions): ProbeRequest | null {
  const { nextAddress, addresses } = conclusions;
  if (nextAddress !== null)
    return {
      kind: 'stats',
      path: nextAddress.stats,
      params: [],
      why: 'where do the resources stand, and how many companies are there?',
    };
  const address = addresses.value ?? untriedSearch(input);
  if (address === null) return null;
  const { search } = conclusions;
  const asSearch = (draft: SearchDraft | null): ProbeRequest | null =>
    draft === null ? null : { kind: 'search', path: address.search, ...draft };
  const forRows = asSearch(askForRows(conclusions));
  if (forRows !== null || search === null) return forRows;
  return (
    recordQuestion(input, conclusions, search) ??
    asSearch(searchQuestion(conclusions, search)) ??
    (input.exchanges.length < HANDFUL
      ? (asSearch(askForFullListing(conclusions, search)) ?? absenceQuestion(input, conclusions, search))
      : null)
  );
}

/** What can wait is asked only while the calls are few. */
const HANDFUL = 10;

function searchQuestion(conclusions: Conclusions, search: SearchConclusions): SearchDraft | null {
  const ways = isStrict(conclusions.query.searches)
    ? [
        askForBreadth,
        askForPaging,
        askForSemantics,
        askForMinQueryLength,
        askForSizeParam,
        askForIdentifiers,
        askForMorePaging,
      ]
    : [
        askForSizeParam,
        askForHugePage,
        askForBreadth,
        askForPaging,
        askForSemantics,
        askForMinQueryLength,
        askForIdentifiers,
      ];
  for (const ask of [...ways, askForMaxPageSize, askForNothing]) {
    const draft = ask(conclusions, search);
    if (draft !== null) return draft;
  }
  return null;
}

function recordQuestion(
  input: ProbeInput,
  conclusions: Conclusions,
  search: SearchConclusions,
): ProbeRequest | null {
  const answered = askForRecord(conclusions, search, entitiesIn(input), originOf(input));
  return answered === null ? null : { kind: 'entity', params: [], ...answered };
}

function absenceQuestion(
  input: ProbeInput,
  conclusions: Conclusions,
  search: SearchConclusions,
): ProbeRequest | null {
  const answered = askForAbsence(conclusions, search, originOf(input));
  return answered === null ? null : { kind: 'entity', params: [], ...answered };
}

/** No statistics anywhere: the search may stand somewhere all the same. */
function untriedSearch({ upstream, exchanges }: ProbeInput): Addresses | null {
  const answered = new Set(exchanges.map(({ request }) => request.path));
  return joinsOf(upstream).find(({ search }) => !answered.has(search)) ?? null;
}

function entitiesIn({ exchanges }: ProbeInput): Exchange[] {
  return exchanges.filter(({ request }) => request.kind === 'entity');
}

function originOf({ upstream }: ProbeInput): string {
  return new URL(upstream.base_url).origin;
}
