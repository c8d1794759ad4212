/**
 * A binary heap. The item with the highest score comes first, and items with equal scores keep their insertion order.
 */
export class Heap<T> {
  readonly #entries: Entry<T>[] = [];
  #pushed = 0;

  get size(): number {
    return this.#entries.length;
  }

  /** Returns all items, in no particular order. */
  items(): T[] {
    return this.#entries.map(({ item }) => item);
  }

  push(item: T, score: number): void {
    this.#entries.push({ item, score, order: this.#pushed++ });
    this.#rise(this.#entries.length - 1);
  }

  /** Returns the best entry and leaves it in the heap. */
  peek(): { readonly item: T; readonly score: number } | null {
    return this.#entries[0] ?? null;
  }

  pop(): { readonly item: T; readonly score: number } | null {
    const best = this.#entries[0];
    const last = this.#entries.pop();
    if (best === undefined || last === undefined) return null;
    if (best !== last) {
      this.#entries[0] = last;
      this.#sink();
    }
    return best;
  }

  #rise(from: number): void {
    const entries = this.#entries;
    const moving = entries[from] as Entry<T>;
    let at = from;
    while (at > 0) {
      const above = (at - 1) >> 1;
      const parent = entries[above] as Entry<T>;
      if (!comesFirst(moving, parent)) break;
      entries[at] = parent;
      at = above;
    }
    entries[at] = moving;
  }

  #sink(): void {
    const entries = this.#entries;
    const moving = entries[0] as Entry<T>;
    let at = 0;
    for (;;) {
      const left = entries[2 * at + 1];
      if (left === undefined) break;
      const right = entries[2 * at + 2];
      const takesRight = right !== undefined && comesFirst(right, left);
      const child = takesRight ? right : left;
      if (!comesFirst(child, moving)) break;
      entries[at] = child;
      at = 2 * at + (takesRight ? 2 : 1);
    }
    entries[at] = moving;
  }
}

interface Entry<T> {
  readonly item: T;
  readonly score: number;
  readonly order: number;
}

function comesFirst<T>(a: Entry<T>, b: Entry<T>): boolean {
  return a.score > b.score || (a.score === b.score && a.order < b.order);
}
