import { type Anatomy, anatomyOf, similarity, trigramsOf } from './similarity.ts';

/** A company whose name is, or resembles, a wanted one. */
export interface Candidate {
  readonly entityId: string;
  readonly name: string;
  /** 1: the same name. */
  readonly score: number;
}

/** Below this, names have little more in common than their words' endings. */
export const LEAST_SCORE = 0.6;
const MOST_KEPT = 5;
// A misspelling spoils three runs of three characters; of the six rarest, two are left to find the name by.
const RAREST = 6;
const SHARED = 2;

/** Finds, for each company that comes by, the wanted names that it is or resembles. */
export class NameCandidates {
  readonly #names: readonly Anatomy[];
  readonly #same = new Map<string, number[]>();
  readonly #byTrigram = new Map<string, number[]>();
  readonly #found: Map<string, Candidate>[];

  constructor(names: readonly string[]) {
    this.#names = names.map(anatomyOf);
    this.#found = names.map(() => new Map());
    this.#names.forEach(({ comparable }, at) => {
      append(this.#same, comparable, at);
    });
    this.#indexTrigrams();
  }

  /** A company of the registry. */
  see(entityId: string, name: string): void {
    const anatomy = anatomyOf(name);
    for (const at of this.#same.get(anatomy.comparable) ?? []) this.#keep(at, { entityId, name, score: 1 });
    for (const at of this.#alike(anatomy)) {
      const score = similarity(this.#names[at] as Anatomy, anatomy);
      if (score >= LEAST_SCORE) this.#keep(at, { entityId, name, score });
    }
  }

  /** The best first. */
  of(at: number): Candidate[] {
    return [...(this.#found[at]?.values() ?? [])].sort((a, b) => b.score - a.score);
  }

  same(at: number): Candidate[] {
    return this.of(at).filter(({ score }) => score === 1);
  }

  bestScore(at: number): number {
    return this.of(at)[0]?.score ?? 0;
  }

  #keep(at: number, candidate: Candidate): void {
    const found = this.#found[at] as Map<string, Candidate>;
    if ((found.get(candidate.entityId)?.score ?? 0) >= candidate.score) return;
    found.set(candidate.entityId, candidate);
    // Companies of the very name are all kept: how many there are decides.
    const inexact = [...found.values()].filter(({ score }) => score < 1).sort((a, b) => a.score - b.score);
    if (inexact.length > MOST_KEPT) found.delete((inexact[0] as Candidate).entityId);
  }

  #alike({ core }: Anatomy): number[] {
    const shared = new Map<number, number>();
    for (const trigram of trigramsOf(core))
      for (const at of this.#byTrigram.get(trigram) ?? []) shared.set(at, (shared.get(at) ?? 0) + 1);
    return [...shared].flatMap(([at, count]) => (count >= SHARED ? [at] : []));
  }

  #indexTrigrams(): void {
    const trigrams = this.#names.map(({ core }) => [...trigramsOf(core)]);
    const names = new Map<string, number>();
    for (const one of trigrams.flat()) names.set(one, (names.get(one) ?? 0) + 1);
    trigrams.forEach((ofName, at) => {
      const rarest = ofName.sort((a, b) => (names.get(a) ?? 0) - (names.get(b) ?? 0)).slice(0, RAREST);
      for (const trigram of rarest) append(this.#byTrigram, trigram, at);
    });
  }
}

function append(index: Map<string, number[]>, key: string, at: number): void {
  const list = index.get(key);
  if (list === undefined) index.set(key, [at]);
  else list.push(at);
}
