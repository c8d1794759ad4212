import type { Database, Statement } from 'better-sqlite3';
import { folded, isAscii, wordsOf } from '../names/folding.ts';
import { afterAll, inOrder } from '../names/ordered_texts.ts';
import { type CompanyQuery, foldedIdentifier, matcherOf, type Semantics } from '../names/query_matching.ts';
import { hashOfText } from '../random.ts';
import { type MatchCounts, matchCounts, phrase, TRIGRAM } from './name_index.ts';

/**
 * The order of a query's matches.
 *
 * - best: the exact identifier, names that begin with the query, other names, longer identifiers
 * - name: identifiers, then names
 * - id: all matches by id
 * - rank: the same random order for all queries
 * - relevance: a different random order for each query
 */
export type MatchOrder = 'best' | 'name' | 'id' | 'rank' | 'relevance';

interface NameFinderOptions {
  /** Folds a query, and a name in `_name`, to the form in which the two are compared. */
  readonly fold: (text: string) => string;
  /** Whether the names in `_name` already have that form. */
  readonly isFolded: boolean;
  readonly order: MatchOrder;
  /** Whether the file has the full-text index `entity_fts`. */
  readonly hasTrigrams: boolean;
}

interface Named {
  readonly knownId: number;
  /** The name as `_name` stores it. */
  readonly folded: string;
}

/**
 * Finds all companies that match a query and are not gone, in a fixed order. Rare words are looked up in the full-text
 * index. Frequent and short words are found by one scan of `_name`, which is faster for many matches and is in the
 * order of the names.
 */
export class NameFinder {
  readonly #db: Database;
  readonly #options: NameFinderOptions;
  readonly #matchesOf: MatchCounts;
  readonly #entityId: Statement<[number], string>;
  readonly #prepared = new Map<string, Statement<unknown[]>>();

  constructor(db: Database, options: NameFinderOptions) {
    this.#db = db;
    this.#options = options;
    this.#entityId = db
      .prepare<[number], string>('SELECT entity_id FROM _company WHERE known_id = ?')
      .pluck();
    this.#matchesOf = options.hasTrigrams ? matchCounts(db) : () => Number.POSITIVE_INFINITY;
  }

  /** Returns the `known_id`s of all matches. */
  find(query: CompanyQuery): Uint32Array {
    const identified = query.by === 'name' || query.text === '' ? [] : this.#identified(query);
    const named = query.by === 'identifier' ? [] : this.#named(query);
    return Uint32Array.from(this.#ordered(query, identified, named));
  }

  /** Returns the id of a company, or null if it was forgotten. */
  entityId(knownId: number): string | null {
    return this.#entityId.get(knownId) ?? null;
  }

  #ordered(query: CompanyQuery, identified: readonly number[], named: readonly Named[]): Iterable<number> {
    const { order, fold } = this.#options;
    const names = named.map(({ knownId }) => knownId);
    if (order === 'best') {
      const exact = query.by === 'name' ? [] : this.#exactlyIdentified(query);
      const wanted = fold(query.text);
      const begins = named.flatMap((name) => (this.#compared(name).startsWith(wanted) ? [name.knownId] : []));
      return new Set([...exact, ...begins, ...names, ...identified]);
    }
    const all = new Set([...identified, ...names]);
    if (order === 'name') return all;
    const salt = order === 'relevance' ? query.text : '';
    const keyOf = order === 'id' ? () => 0 : (id: string) => hashOfText(`${salt}\0${id}`);
    return [...all]
      .map((knownId) => ({ knownId, id: this.entityId(knownId) ?? '' }))
      .map((one) => ({ ...one, key: keyOf(one.id) }))
      .sort((a, b) => a.key - b.key || inOrder(a.id, b.id))
      .map(({ knownId }) => knownId);
  }

  /** Returns the companies with a matching identifier, in the order of their identifiers. */
  #identified(query: CompanyQuery): number[] {
    if (query.identifiers === 'exact') return this.#exactlyIdentified(query);
    if (query.identifiers === 'none') return [];
    const wanted = foldedIdentifier(query.text);
    return this.#rows<Id>(
      `SELECT known_id AS knownId FROM _identifier JOIN _company USING (known_id)
       WHERE folded >= ? AND folded < ? AND gone_at IS NULL ORDER BY folded, entity_id`,
      wanted,
      afterAll(wanted),
    ).map(({ knownId }) => knownId);
  }

  #exactlyIdentified({ identifiers, text }: CompanyQuery): number[] {
    if (identifiers === 'none' || text === '') return [];
    return this.#rows<Id>(
      `SELECT known_id AS knownId FROM _identifier JOIN _company USING (known_id)
       WHERE folded = ? AND gone_at IS NULL ORDER BY entity_id`,
      foldedIdentifier(text),
    ).map(({ knownId }) => knownId);
  }

  /** Returns the companies with a matching name, in the order of their names. */
  #named({ names: semantics, text }: CompanyQuery): Named[] {
    const { fold } = this.#options;
    const wanted = fold(text);
    const words = wordsOf(wanted);
    if (wanted !== '' && words.length === 0 && (semantics === 'token' || semantics === 'token_prefix'))
      return [];
    const matches = matcherOf(semantics, wanted);
    const rare = this.#trigramQuery(semantics, words);
    if (rare !== null) return this.#containing(rare).filter((name) => matches(this.#compared(name)));
    const isDecided = (name: string) => words.length <= MAX_WORDS && isAscii(name) && !name.includes('\0');
    return this.#scanned(semantics, wanted).filter(
      (name) => isDecided(name.folded) || matches(this.#compared(name)),
    );
  }

  /** Returns a name in the form in which it is compared. Most names are in ASCII and have this form already. */
  #compared({ folded }: Named): string {
    const { fold, isFolded } = this.#options;
    return isFolded || isAscii(folded) ? folded : fold(folded);
  }

  /** Returns a full-text query for the words, or null if it would find too many names. */
  #trigramQuery(semantics: Semantics, words: readonly string[]): string | null {
    if (semantics === 'prefix' || semantics === 'substring') return null;
    const long = longest(words.filter((word) => [...word].length >= TRIGRAM));
    if (long.length === 0) return null;
    const query = `name : (${long.map(phrase).join(' AND ')})`;
    return this.#matchesOf(query, MAX_CANDIDATES + 1) > MAX_CANDIDATES ? null : query;
  }

  #containing(query: string): Named[] {
    return this.#rows<Unfolded>(
      `SELECT known_id AS knownId, name FROM _company
       WHERE gone_at IS NULL AND known_id IN (SELECT rowid FROM entity_fts WHERE entity_fts MATCH ?)`,
      query,
    )
      .map(foldedRow)
      .sort(byName);
  }

  /** Returns all companies whose names can match, and possibly others, in the order of their names. */
  #scanned(semantics: Semantics, wanted: string): Named[] {
    const { sql, values } = this.#condition(semantics, wanted);
    const gone = new Set(
      this.#rows<Id>('SELECT known_id AS knownId FROM _company WHERE gone_at IS NOT NULL').map(
        ({ knownId }) => knownId,
      ),
    );
    const found = this.#rows<Named>(
      `SELECT known_id AS knownId, folded FROM _name WHERE ${sql} ORDER BY folded, known_id`,
      ...values,
    ).filter(({ knownId }) => !gone.has(knownId));
    if (wanted !== '') return found;
    const unnamed = this.#rows<Unfolded>(
      'SELECT known_id AS knownId, name FROM _company WHERE name IS NULL AND gone_at IS NULL ORDER BY known_id',
    );
    return [...unnamed.map(foldedRow), ...found];
  }

  /**
   * Returns a condition that all matching names in `_name` fulfil. Names in ASCII that do not match do not fulfil it
   * either. If the folding still changes names, a name with any other character fulfils it.
   */
  #condition(semantics: Semantics, wanted: string): { sql: string; values: string[] } {
    if (wanted === '') return { sql: 'true', values: [] };
    const orChanged = this.#options.isFolded ? '' : ` OR ${NOT_ASCII}`;
    if (semantics === 'prefix')
      return { sql: `(folded >= ? AND folded < ?${orChanged})`, values: [wanted, afterAll(wanted)] };
    const parts =
      semantics === 'substring'
        ? [{ sql: 'instr(folded, ?) > 0', values: [wanted] }]
        : longest(wordsOf(wanted)).map((word) => ({
            sql: "(instr(folded, ?) > 0 AND ' ' || folded || ' ' GLOB ?)",
            values: [word, `*${NO_LETTER}${word}${semantics === 'token' ? NO_LETTER : ''}*`],
          }));
    return {
      sql: `(${parts.map(({ sql }) => sql).join(' AND ')}${orChanged})`,
      values: parts.flatMap(({ values }) => values),
    };
  }

  #rows<Row>(sql: string, ...values: unknown[]): Row[] {
    const prepared = this.#prepared.get(sql) ?? this.#db.prepare(sql);
    this.#prepared.set(sql, prepared);
    return prepared.all(...values) as Row[];
  }
}

type Id = Pick<Named, 'knownId'>;
type Unfolded = Id & { readonly name: string | null };

function foldedRow({ knownId, name }: Unfolded): Named {
  return { knownId, folded: folded(name ?? '') };
}

function byName(one: Named, other: Named): number {
  return inOrder(one.folded, other.folded) || one.knownId - other.knownId;
}

/** Returns the longest words, because a condition with many words would exceed the limits of SQLite. */
function longest(words: readonly string[]): string[] {
  return [...words].sort((a, b) => b.length - a.length).slice(0, MAX_WORDS);
}

// For SQLite, a text ends at a NUL character. Such a name is therefore also compared in this process.
const NOT_ASCII = 'octet_length(folded) <> length(folded)';
const NO_LETTER = '[^A-Za-z0-9]';
const MAX_WORDS = 8;
// If more names contain all of the query's words, a scan of all names is faster.
const MAX_CANDIDATES = 30_000;
