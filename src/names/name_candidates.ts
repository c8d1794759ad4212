import { type Anatomy, anatomyOf, similarity, trigramsOf } from './similarity.ts';

/** A company with a name that equals or resembles a wanted name. */
export interface NamedCompany {
  readonly entityId: string;
  readonly name: string;
  /** The similarity of the names, from 0 to 1 (the same name). */
  readonly score: number;
}

/** Names with a lower score have little in common except how their words end. */
export const MIN_SCORE = 0.6;
const MAX_INEXACT = 5;
// Each name is indexed by its six rarest trigrams. A misspelling changes three trigrams, so enough of the six usually
// remain unchanged to find the name.
const INDEXED_TRIGRAMS = 6;
const MIN_SHARED_TRIGRAMS = 2;

/** For each wanted name, collects the companies with a name that equals or resembles it. */
export class NameCandidates {
  readonly #names: readonly Anatomy[];
  readonly #same = new Map<string, number[]>();
  readonly #byTrigram = new Map<string, number[]>();
  readonly #found: Map<string, NamedCompany>[];

  constructor(names: readonly string[]) {
    this.#names = names.map(anatomyOf);
    this.#found = names.map(() => new Map());
    this.#names.forEach(({ comparable }, at) => {
      append(this.#same, comparable, at);
    });
    this.#indexTrigrams();
  }

  /** Compares a company in the registry with all wanted names. */
  see(entityId: string, name: string): void {
    const anatomy = anatomyOf(name);
    for (const at of this.#same.get(anatomy.comparable) ?? []) this.#keep(at, { entityId, name, score: 1 });
    for (const at of this.#alike(anatomy)) {
      const score = similarity(this.#names[at] as Anatomy, anatomy);
      if (score >= MIN_SCORE) this.#keep(at, { entityId, name, score });
    }
  }

  /** The candidates for the wanted name with this index, best first. */
  of(at: number): NamedCompany[] {
    return [...(this.#found[at]?.values() ?? [])].sort((a, b) => b.score - a.score);
  }

  /** The companies that have exactly the wanted name with this index. */
  same(at: number): NamedCompany[] {
    return this.of(at).filter(({ score }) => score === 1);
  }

  #keep(at: number, candidate: NamedCompany): void {
    const found = this.#found[at] as Map<string, NamedCompany>;
    if ((found.get(candidate.entityId)?.score ?? 0) >= candidate.score) return;
    found.set(candidate.entityId, candidate);
    // Exact matches are never dropped, because their number decides whether the name is ambiguous.
    const inexact = [...found.values()].filter(({ score }) => score < 1).sort((a, b) => a.score - b.score);
    if (inexact.length > MAX_INEXACT) found.delete((inexact[0] as NamedCompany).entityId);
  }

  #alike({ core }: Anatomy): number[] {
    const shared = new Map<number, number>();
    for (const trigram of trigramsOf(core))
      for (const at of this.#byTrigram.get(trigram) ?? []) shared.set(at, (shared.get(at) ?? 0) + 1);
    return [...shared].flatMap(([at, count]) => (count >= MIN_SHARED_TRIGRAMS ? [at] : []));
  }

  #indexTrigrams(): void {
    const trigrams = this.#names.map(({ core }) => [...trigramsOf(core)]);
    const nameCounts = new Map<string, number>();
    for (const one of trigrams.flat()) nameCounts.set(one, (nameCounts.get(one) ?? 0) + 1);
    trigrams.forEach((ofName, at) => {
      const rarest = ofName
        .sort((a, b) => (nameCounts.get(a) ?? 0) - (nameCounts.get(b) ?? 0))
        .slice(0, INDEXED_TRIGRAMS);
      for (const trigram of rarest) append(this.#byTrigram, trigram, at);
    });
  }
}

function append(index: Map<string, number[]>, key: string, at: number): void {
  const list = index.get(key);
  if (list === undefined) index.set(key, [at]);
  else list.push(at);
}
