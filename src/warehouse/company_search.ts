import type { Database, Statement } from 'better-sqlite3';
import { folded, isAscii, withoutDiacritics } from '../names/folding.ts';
import { afterAll, inOrder } from '../names/ordered_texts.ts';
import { foldedIdentifier } from '../names/query_matching.ts';
import { searchScore } from '../names/search_score.ts';
import {
  type Anatomy,
  anatomyOf,
  comparable,
  FORMS_WITHOUT_SPACES,
  significantWords,
} from '../names/similarity.ts';
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
 * Reads candidates from the indexes and sorts them by score. A candidate has an identifier that equals the query or
 * begins with it, or a name that begins with the query, contains all of its words, possibly in another spelling, or
 * contains its rarest trigrams. A query that equals a name or finds many names is not respelt. Legal forms and words for
 * "and" are optional. Among equal scores, gone companies come last. No query reads all names: if one has too many
 * matches, the shortest names of the first matches are candidates.
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

type ByRange = Statement<[from: string, before: string, most: number], CandidateRow>;

type Candidates = (text: string, most: number) => CandidateRow[];

function candidateQueries(db: Database): Candidates {
  // The shorter a name is, the more it resembles its part.
  const [byId, byPrefix, byText] = [
    'SELECT known_id FROM _identifier WHERE folded >= ? AND folded < ?',
    'SELECT known_id FROM _name WHERE folded >= ? AND folded < ?',
    'SELECT rowid FROM entity_fts WHERE entity_fts MATCH ?',
  ].map((matches) =>
    db.prepare<unknown[], CandidateRow>(
      `${SELECT} FROM _company WHERE known_id IN (${matches} LIMIT ${MAX_MATCHES})
       ORDER BY length(name) LIMIT ?`,
    ),
  ) as [ByRange, ByRange, Statement<[query: string, most: number], CandidateRow>];
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
    const limit = Math.max(most, MAX_CANDIDATES);
    const addNamed = (prefix: string) => add(byPrefix.all(prefix, afterAll(prefix), limit));
    const id = foldedIdentifier(text);
    add(byId.all(id, isIdentifierPrefix(text) ? afterAll(id) : `${id}\0`, limit));
    addNamed(folded(text));
    if ([...text].length >= TRIGRAM && /^\S+$|\d/.test(text))
      add(byText.all(`identifiers : ${phrase(text)}`, limit));
    const significant = significantWords(text);
    const words = significant.filter((word) => [...word].length >= TRIGRAM);
    // With the space before it, a word of two characters is a trigram.
    const spaced = significant.map((word) => ` ${word}`).filter((word) => [...word].length >= TRIGRAM);
    const indexed = words.length > 0 ? words : spaced;
    if (indexed.length > 0) add(byText.all(indexed.map(phrase).join(' AND '), limit));
    // A name such as 株式会社東京 begins with its legal form.
    if (words.length === 0 && !isAscii(text))
      for (const [form] of FORMS_WITHOUT_SPACES) addNamed(form + folded(text));
    const isWhole = ({ name }: CandidateRow) => name !== null && comparable(name) === comparable(text);
    if (words.length === 0 || found.size >= ENOUGH || [...found.values()].some(isWhole))
      return [...found.values()];

    const [word = '', ...others] = words;
    if (others.length === 0 && word.length <= MAX_RESPELT) {
      const spellings = spellingsOf(word);
      for (const spelling of spellings) addNamed(withoutDiacritics(text).replace(word, () => spelling));
      if (word.length <= MAX_MISSPELT) {
        const likeliest = commonest(spellings, companiesOf).slice(0, MAX_SPELLINGS);
        add(byText.all([word, ...likeliest].map(phrase).join(' OR '), limit));
      }
    }
    // A misspelt name of several words, or a long word, shares enough trigrams with the right one.
    if (found.size < ENOUGH) add(bySharing.all(JSON.stringify(rarestTrigrams(words, companiesOf))));
    return [...found.values()];
  };
}

/** Returns whether the text can be the beginning of an identifier. Without a digit, it is rather a name. */
function isIdentifierPrefix(text: string): boolean {
  return [...text].length >= TRIGRAM && /\d/.test(text);
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
  const best = [
    ...[entityId, ...linesOf(row.identifiers)].map((one) => identified(one, text)),
    ...(name === null ? [] : [scored('name', name, wanted)]),
    ...linesOf(row.formerNames).map((former) => scored('former_name', former, wanted)),
  ].reduce((one, other) => (other.score > one.score ? other : one), NO_MATCH);
  return { entityId, name, state, goneAt, ...best };
}

function identified(identifier: string, text: string) {
  const [id, wanted] = [foldedIdentifier(identifier), foldedIdentifier(text)];
  const isBegun = isIdentifierPrefix(text) && id.startsWith(wanted);
  const score = id === wanted ? 1 : isBegun ? 0.5 + (0.45 * wanted.length) / id.length : 0;
  return { matched: 'identifier' as const, matchedText: identifier, score };
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
/** A query with this many candidates has found what it means. */
const ENOUGH = 20;
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
