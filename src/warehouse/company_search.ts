import type { Database } from 'better-sqlite3';
import { folded, withoutDiacritics, wordsOf } from '../names/folding.ts';
import { foldedIdentifier } from '../names/query_matching.ts';
import { searchScore } from '../names/search_score.ts';
import { type Anatomy, anatomyOf, trigramsOf } from '../names/similarity.ts';

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
 * candidate's name starts with the query, contains all of its words, or contains its rarest trigrams. Among equal
 * scores, gone companies come last.
 */
export function companySearch(db: Database): CompanySearch {
  const candidates = candidateQueries(db);
  return (query, most) => {
    const text = query.trim();
    if (text === '') return [];
    const wanted = anatomyOf(text);
    return candidates(text)
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

function candidateQueries(db: Database): (text: string) => CandidateRow[] {
  const byId = db.prepare<[string, string], CandidateRow>(`${SELECT} FROM _known WHERE entity_id IN (?, ?)`);
  const byPrefix = db.prepare<[string, string], CandidateRow>(
    `${SELECT} FROM _name JOIN _known USING (known_id) WHERE folded >= ? AND folded < ? ORDER BY folded LIMIT ${MAX_CANDIDATES}`,
  );
  const byText = db.prepare<[string], CandidateRow>(
    `${SELECT} FROM _known WHERE known_id IN
       (SELECT rowid FROM entity_fts WHERE entity_fts MATCH ? ORDER BY rank LIMIT ${MAX_CANDIDATES})`,
  );
  const rarity = trigramCounts(db);
  return (text) => {
    const found = new Map<number, CandidateRow>();
    const add = (rows: readonly CandidateRow[]) => {
      for (const row of rows) found.set(row.knownId, row);
    };
    add(byId.all(text, foldedIdentifier(text)));
    add(byPrefix.all(folded(text), `${folded(text)}\u{10ffff}`));
    if ([...text].length >= TRIGRAM) add(byText.all(`identifiers : ${phrase(text)}`));
    const words = wordsOf(withoutDiacritics(text)).filter((word) => [...word].length >= TRIGRAM);
    if (words.length > 0) add(byText.all(words.map(phrase).join(' AND ')));
    const rarest = rarestTrigrams(words, rarity);
    if (rarest.length >= MIN_SHARED) add(byText.all(pairsOf(rarest)));
    return [...found.values()];
  };
}

const SELECT = `SELECT known_id AS knownId, entity_id AS entityId, name, former_names AS formerNames, identifiers,
  gone_at AS goneAt,
  CASE WHEN gone_at IS NOT NULL THEN 'gone' WHEN fetched_at IS NOT NULL THEN 'fetched' ELSE 'listed' END AS state`;

/**
 * Returns a function that counts how many companies have a trigram in their indexed texts. It creates a temporary table
 * on this connection.
 */
function trigramCounts(db: Database): (trigram: string) => number {
  db.exec('CREATE VIRTUAL TABLE IF NOT EXISTS temp.name_trigrams USING fts5vocab(main, entity_fts, row)');
  const select = db.prepare<[string], number>('SELECT doc FROM temp.name_trigrams WHERE term = ?').pluck();
  return (trigram) => select.get(trigram) ?? 0;
}

/** Returns the rarest trigrams that occur in the index. Trigrams that too many companies have are excluded. */
function rarestTrigrams(words: readonly string[], countOf: (trigram: string) => number): string[] {
  const within = words.flatMap((word) => [...trigramsOf(word)].filter((one) => !one.includes(' ')));
  return [...new Set(within)]
    .map((trigram) => ({ trigram, companies: countOf(trigram) }))
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
  const identifier = linesOf(row.identifiers).find((one) => foldedIdentifier(one) === foldedIdentifier(text));
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

function phrase(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}

function inOrder(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Names with a lower score have little in common with the query. */
const MIN_SCORE = 0.5;
const FORMER_NAME_FACTOR = 0.95;
const MAX_CANDIDATES = 200;
const TRIGRAM = 3;
const INDEXED_TRIGRAMS = 6;
const MIN_SHARED = 2;
const MAX_COMPANIES_OF_TRIGRAM = 100_000;
