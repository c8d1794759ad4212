import type { Database, Statement } from 'better-sqlite3';
import { folded, withoutDiacritics } from '../names/folding.ts';
import { afterAll, inOrder } from '../names/ordered_texts.ts';
import { foldedIdentifier } from '../names/query_matching.ts';
import { searchScore } from '../names/search_score.ts';
import { type Anatomy, anatomyOf, comparable, significantWords } from '../names/similarity.ts';
import { spellingsOf } from '../names/spelling.ts';
import {
  type IndexedCompany,
  type MatchCounts,
  matchCounts,
  phrase,
  TRIGRAM,
  trigramsWithin,
} from './name_index.ts';
import { isoTimeOf } from './table.ts';

/** A known company that a search found. */
export interface CompanyMatch {
  readonly entityId: string;
  readonly name: string | null;
  readonly state: 'listed' | 'fetched' | 'gone';
  readonly goneAt: string | null;
  /** The score, from 0 to 1. At 1, the name or identifier equals the query. */
  readonly score: number;
  readonly matched: 'name' | 'former_name' | 'identifier';
  /** The name, former name or identifier that matches the query. */
  readonly matchedText: string;
}

/** Finds known companies by name, former name or identifier, best match first. */
export type CompanySearch = (query: string, most: number) => CompanyMatch[];

/**
 * Reads candidates from the indexes and sorts them by score. The query is one of a candidate's identifiers, or the
 * candidate's name starts with the query, contains all of its words, possibly in another spelling, or contains its
 * rarest trigrams. A query that equals a name is not respelt. Legal forms and words for "and" are optional. Among equal
 * scores, gone companies come last.
 */
export function companySearch(db: Database): CompanySearch {
  const candidates = candidateQueries(db);
  return (query, most) => {
    const text = query.trim();
    if (text === '') return [];
    const wanted = anatomyOf(text);
    return candidates(text, most)
      .map((row) => bestMatch(row, text, wanted))
      .filter(({ score }) => score >= MIN_SCORE)
      .sort(
        (a, b) =>
          b.score - a.score ||
          Number(a.state === 'gone') - Number(b.state === 'gone') ||
          inOrder(a.name ?? '', b.name ?? '') ||
          inOrder(a.entityId, b.entityId),
      )
      .slice(0, most);
  };
}

type CandidateRow = IndexedCompany & Pick<CompanyMatch, 'state' | 'goneAt'>;

type Candidates = (text: string, most: number) => CandidateRow[];

function candidateQueries(db: Database): Candidates {
  const byId = db.prepare<[string], CandidateRow>(
    `${SELECT} FROM _company WHERE known_id IN (SELECT known_id FROM _identifier WHERE folded = ?)`,
  );
  // The shorter a name is, the more it resembles its part.
  const [byPrefix, byText] = [
    'SELECT known_id FROM _name WHERE folded >= ? AND folded < ?',
    'SELECT rowid FROM entity_fts WHERE entity_fts MATCH ?',
  ].map((matches) =>
    db.prepare<string[], CandidateRow>(
      `${SELECT} FROM _company WHERE known_id IN (${matches} LIMIT ${MAX_MATCHES})
       ORDER BY length(name) LIMIT ${MAX_CANDIDATES}`,
    ),
  ) as [Statement<[string, string], CandidateRow>, Statement<[string], CandidateRow>];
  const bySharing = db.prepare<[string], CandidateRow>(
    `${SELECT} FROM _company WHERE known_id IN
       (SELECT entity_fts.rowid FROM json_each(?) AS rarest, entity_fts WHERE entity_fts MATCH rarest.value
        GROUP BY entity_fts.rowid HAVING count(*) >= ${MIN_SHARED}
        ORDER BY count(*) DESC, sum(rarest.key) LIMIT ${MAX_CANDIDATES})`,
  );
  const companiesOf = matchCounts(db);
  return (text, most) => {
    const found = new Map<number, CandidateRow>();
    const add = (rows: readonly CandidateRow[]) => {
      for (const row of rows) found.set(row.knownId, row);
    };
    const addNamed = (prefix: string) => add(byPrefix.all(prefix, afterAll(prefix)));
    add(byId.all(foldedIdentifier(text)));
    addNamed(folded(text));
    if ([...text].length >= TRIGRAM && /^\S+$|\d/.test(text))
      add(byText.all(`identifiers : ${phrase(text)}`));
    const words = significantWords(text).filter((word) => [...word].length >= TRIGRAM);
    if (words.length === 0) return [...found.values()];
    add(byText.all(words.map(phrase).join(' AND ')));
    const isWhole = ({ name }: CandidateRow) => name !== null && comparable(name) === comparable(text);
    if (found.size >= most || [...found.values()].some(isWhole)) return [...found.values()];

    const [word = '', ...others] = words;
    if (others.length === 0 && word.length <= MAX_RESPELT) {
      const spellings = spellingsOf(word);
      for (const spelling of spellings) addNamed(withoutDiacritics(text).replace(word, () => spelling));
      if (word.length <= MAX_MISSPELT) {
        const likeliest = commonest(spellings, companiesOf).slice(0, MAX_SPELLINGS);
        add(byText.all([word, ...likeliest].map(phrase).join(' OR ')));
      }
    }
    // A misspelt name of several words, or a long word, shares enough trigrams with the right one.
    if (found.size < most) add(bySharing.all(JSON.stringify(rarestTrigrams(words, companiesOf))));
    return [...found.values()];
  };
}

/**
 * Returns the words whose trigrams all occur in the index. The more companies have a word's rarest trigram, the earlier
 * the word comes.
 */
function commonest(words: readonly string[], companiesOf: MatchCounts): string[] {
  const known = new Map<string, number>();
  const ofTrigram = (trigram: string) => {
    const companies = known.get(trigram) ?? companiesOf(phrase(trigram), MAX_COUNTED_OF_WORD);
    known.set(trigram, companies);
    return companies;
  };
  return words
    .map((word) => ({ word, companies: Math.min(...trigramsWithin(word).map(ofTrigram)) }))
    .filter(({ companies }) => companies > 0)
    .sort((a, b) => b.companies - a.companies)
    .map(({ word }) => word);
}

const SELECT = `SELECT known_id AS knownId, entity_id AS entityId, name, former_names AS formerNames,
  identifiers, ${isoTimeOf('gone_at')} AS goneAt,
  CASE WHEN gone_at IS NOT NULL THEN 'gone' WHEN fetched_at IS NOT NULL THEN 'fetched' ELSE 'listed' END AS state`;

/** Returns the rarest trigrams that occur in the index. They are rare enough to read their companies. */
function rarestTrigrams(words: readonly string[], companiesOf: MatchCounts) {
  let total = 0;
  return [...new Set(words.flatMap(trigramsWithin))]
    .map((trigram) => ({ trigram: phrase(trigram), companies: companiesOf(phrase(trigram), MAX_COUNTED) }))
    .filter(({ companies }) => companies > 0 && companies < MAX_COUNTED)
    .sort((a, b) => a.companies - b.companies)
    .slice(0, INDEXED_TRIGRAMS)
    .filter(({ companies }) => {
      total += companies;
      return total <= MAX_SHARING;
    })
    .map(({ trigram }) => trigram);
}

function bestMatch(row: CandidateRow, text: string, wanted: Anatomy): CompanyMatch {
  const { entityId, name, state, goneAt } = row;
  const identifier = [entityId, ...linesOf(row.identifiers)].find(
    (one) => foldedIdentifier(one) === foldedIdentifier(text),
  );
  const best = [
    ...(identifier === undefined
      ? []
      : [{ matched: 'identifier' as const, matchedText: identifier, score: 1 }]),
    ...(name === null ? [] : [scored('name', name, wanted)]),
    ...linesOf(row.formerNames).map((former) => scored('former_name', former, wanted)),
  ].reduce((one, other) => (other.score > one.score ? other : one), NO_MATCH);
  return { entityId, name, state, goneAt, ...best };
}

function scored(matched: 'name' | 'former_name', text: string, wanted: Anatomy) {
  const score = searchScore(wanted, anatomyOf(text));
  return { matched, matchedText: text, score: matched === 'name' ? score : score * FORMER_NAME_FACTOR };
}

const NO_MATCH: Pick<CompanyMatch, 'matched' | 'matchedText' | 'score'> = {
  matched: 'name',
  matchedText: '',
  score: 0,
};

function linesOf(text: string | null): string[] {
  return text === null ? [] : text.split('\n');
}

/** Names with a lower score have little in common with the query. */
const MIN_SCORE = 0.5;
const FORMER_NAME_FACTOR = 0.95;
const MAX_CANDIDATES = 500;
const MAX_MATCHES = 5_000;
const MAX_RESPELT = 30;
/** Longer words share enough trigrams with their other spellings. */
const MAX_MISSPELT = 7;
const MAX_SPELLINGS = 30;
const INDEXED_TRIGRAMS = 6;
const MIN_SHARED = 2;
const MAX_COUNTED_OF_WORD = 1_000;
/** A trigram that more companies have does not distinguish a name. Its companies are neither counted nor read. */
const MAX_COUNTED = 40_000;
/** The number of companies that are read for all trigrams together. */
const MAX_SHARING = 100_000;
