import type { Knowledge, LoadResult } from '../../knowledge.ts';

/** Counts the companies that listings have shown since the registry count was received. */
export class ShownCompanies {
  readonly #knowledge: Pick<Knowledge, 'listedSince'>;
  /** The time of the registry count; null until the companies are counted. */
  #sinceMs: number | null = null;
  #shown = 0;

  constructor(knowledge: Pick<Knowledge, 'listedSince'>) {
    this.#knowledge = knowledge;
  }

  learn({ rows }: Pick<LoadResult, 'rows'>): void {
    const sinceMs = this.#sinceMs;
    if (sinceMs === null) return;
    this.#shown += rows.filter(({ listedAtMs }) => (listedAtMs ?? -1) < sinceMs).length;
  }

  since(atMs: number): number {
    if (atMs !== this.#sinceMs) {
      this.#shown = this.#knowledge.listedSince(atMs);
      this.#sinceMs = atMs;
    }
    return this.#shown;
  }
}
