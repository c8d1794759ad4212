import type { Database, Statement } from 'better-sqlite3';
import { folded, withoutDiacritics } from '../names/folding.ts';
import { afterAll, inOrder } from '../names/ordered_texts.ts';
import { foldedIdentifier } from '../names/query_matching.ts';
import { searchScore } from '../names/search_score.ts';
import { type Anatomy, anatomyOf, significantWords } from '../names/similarity.ts';
import { SHORTEST_MISSPELT, spellingsOf } from '../names/spelling.ts';
import { phrase, TRIGRAM, trigramCounts, trigramsWithin, trigramTest } from './name_index.ts';
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
 * rarest trigrams. Legal forms and words for "and" are optional. Among equal scores, gone companies come last.
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

interface CandidateRow {
  readonly knownId: number;
  readonly entityId: string;
  readonly name: string | null;
  readonly formerNames: string | null;
  readonly identifiers: string | null;
  readonly state: CompanyMatch['state'];
  readonly goneAt: string | null;
}

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
  const byRank = db.prepare<[string], CandidateRow>(
    `${SELECT} FROM _company WHERE known_id IN
       (SELECT rowid FROM entity_fts WHERE entity_fts MATCH ? ORDER BY rank LIMIT ${MAX_CANDIDATES})`,
  );
  const companiesOf = trigramCounts(db);
  const isTrigram = trigramTest(db);
  return (text, most) => {
    const found = new Map<number, CandidateRow>();
    const add = (rows: readonly CandidateRow[]) => {
      for (const row of rows) found.set(row.knownId, row);
    };
    const addNamed = (prefix: string) => add(byPrefix.all(prefix, afterAll(prefix)));
    add(byId.all(foldedIdentifier(text)));
    addNamed(folded(text));
    if ([...text].length >= TRIGRAM) add(byText.all(`identifiers : ${phrase(text)}`));
    const words = significantWords(text).filter((word) => [...word].length >= TRIGRAM);
    if (words.length === 0) return [...found.values()];
    add(byText.all(words.map(phrase).join(' AND ')));
    if (found.size >= most) return [...found.values()];

    // A misspelt name of several words shares enough trigrams with the right one.
    const [word = '', ...others] = words;
    const spellings = others.length === 0 ? spellingsIn(word, isTrigram) : [];
    if (spellings.length > 0) {
      const respelt = byText.all([word, ...spellings].map(phrase).join(' OR '));
      add(respelt);
      const occurring = new Set(respelt.flatMap(({ name }) => significantWords(name ?? '')));
      for (const spelling of spellings)
        if (occurring.has(spelling)) addNamed(withoutDiacritics(text).replace(word, () => spelling));
    }
    const rarest = rarestTrigrams(words, companiesOf);
    if (found.size < most && rarest.length >= MIN_SHARED) add(byRank.all(pairsOf(rarest)));
    return [...found.values()];
  };
}

/** Returns other spellings of a word whose trigrams all occur in the index. */
function spellingsIn(word: string, isTrigram: (trigram: string) => boolean): string[] {
  if (word.length > MAX_MISSPELT) return [];
  const known = new Map<string, boolean>();
  const occurs = (trigram: string) => {
    const doesOccur = known.get(trigram) ?? isTrigram(trigram);
    known.set(trigram, doesOccur);
    return doesOccur;
  };
  return spellingsOf(word, (part) => trigramsWithin(part).every(occurs))
    .filter((spelling) => spelling.length >= SHORTEST_MISSPELT)
    .slice(0, MAX_SPELLINGS);
}

const SELECT = `SELECT known_id AS knownId, entity_id AS entityId, name, former_names AS formerNames,
  identifiers, ${isoTimeOf('gone_at')} AS goneAt,
  CASE WHEN gone_at IS NOT NULL THEN 'gone' WHEN fetched_at IS NOT NULL THEN 'fetched' ELSE 'listed' END AS state`;

/** Returns the rarest trigrams that occur in the index. Trigrams that too many companies have are excluded. */
function rarestTrigrams(words: readonly string[], companiesOf: (trigram: string) => number): string[] {
  return [...new Set(words.flatMap(trigramsWithin))]
    .map((trigram) => ({ trigram, companies: companiesOf(trigram) }))
    .filter(({ companies }) => companies > 0 && companies <= MAX_COMPANIES_OF_TRIGRAM)
    .sort((a, b) => a.companies - b.companies)
    .slice(0, INDEXED_TRIGRAMS)
    .map(({ trigram }) => trigram);
}

/** Returns a full-text query for names that contain at least two of the trigrams. */
function pairsOf(trigrams: readonly string[]): string {
  return trigrams
    .flatMap((one, at) => trigrams.slice(at + 1).map((other) => `(${phrase(one)} AND ${phrase(other)})`))
    .join(' OR ');
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
/** Longer words share enough trigrams with their other spellings. */
const MAX_MISSPELT = 10;
const MAX_SPELLINGS = 100;
const INDEXED_TRIGRAMS = 6;
const MIN_SHARED = 2;
const MAX_COMPANIES_OF_TRIGRAM = 20_000;
