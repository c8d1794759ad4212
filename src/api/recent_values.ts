/** A map that removes the least recently used values when all values together exceed `maxBytes`. */
export class RecentValues<V> {
  readonly #values = new Map<string, V>();
  readonly #maxBytes: number;
  readonly #sizeOf: (value: V) => number;
  #bytes = 0;

  constructor(maxBytes: number, sizeOf: (value: V) => number) {
    this.#maxBytes = maxBytes;
    this.#sizeOf = sizeOf;
  }

  get(key: string): V | undefined {
    const value = this.#values.get(key);
    if (value === undefined) return undefined;
    this.#values.delete(key);
    this.#values.set(key, value);
    return value;
  }

  set(key: string, value: V): void {
    const before = this.#values.get(key);
    if (before !== undefined) this.#drop(key, before);
    this.#values.set(key, value);
    this.#bytes += this.#sizeOf(value);
    for (const [oldest, oldValue] of this.#values) {
      if (this.#bytes <= this.#maxBytes || this.#values.size === 1) break;
      this.#drop(oldest, oldValue);
    }
  }

  #drop(key: string, value: V): void {
    this.#values.delete(key);
    this.#bytes -= this.#sizeOf(value);
  }
}
