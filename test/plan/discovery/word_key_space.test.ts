import { expect, test } from 'vitest';
import type { CompaniesWith } from '../../../src/names/ordered_texts.ts';
import { SortedTexts } from '../../../src/names/ordered_texts.ts';
import { SortedWords } from '../../../src/names/ordered_words.ts';
import { KeySpace } from '../../../src/plan/discovery/key_space.ts';
import { MemoryMirror } from '../../support/simulation/memory_knowledge.ts';

/**
 * A mirror of a million companies that has only some of their names. Its index counts all words, and separately the
 * words in names with a word from `beside`.
 */
class LargeMirror extends MemoryMirror {
  readonly names: ReadCountingTexts;
  readonly #beside: readonly string[];

  constructor(names: readonly string[], beside: readonly string[]) {
    super();
    this.names = new ReadCountingTexts(names);
    this.#beside = beside;
  }

  override knownCount(): number {
    return 1_000_000;
  }

  override textsInOrder(): ReadCountingTexts {
    return this.names;
  }

  override wordsInOrder(of: CompaniesWith): SortedWords | null {
    if (of.beside !== '' && !this.#beside.includes(of.beside)) return null;
    return new SortedWords(of, new SortedTexts(this.names.texts).all());
  }
}

class ReadCountingTexts extends SortedTexts {
  readonly texts: readonly string[];
  /** Counts how often the names were scanned. */
  reads = 0;

  constructor(texts: readonly string[]) {
    super(texts);
    this.texts = texts;
  }

  override all(): Iterable<string> {
    this.reads++;
    return super.all();
  }

  override containing(part: string): string[] {
    this.reads++;
    return super.containing(part);
  }
}

test.each(['token', 'token_prefix'] as const)(
  'if an index counts the words, the planner reads no name of a large registry: %s',
  (semantics) => {
    const mirror = new LargeMirror(['acme limited', 'acme bank', 'bank of man limited'], ['limited']);
    const keySpace = new KeySpace('name', semantics, 1, mirror);
    expect(keySpace.known('acme')).toBe(2);
    expect(keySpace.pairsWith('limited', () => 0)).toBe(true);
    expect(keySpace.known('limited acme')).toBe(1);
    expect(mirror.names.reads).toBe(0);
  },
);

test("without an index, the planner reads a large registry's names only if many companies are unseen", () => {
  const mirror = new LargeMirror(['acme bank'], []);
  const keySpace = new KeySpace('name', 'token_prefix', 1, mirror);
  expect(keySpace.pairsWith('bank', () => 199)).toBe(false);
  expect(keySpace.pairsWith('bank', () => 201)).toBe(true);
  expect(mirror.names.reads).toBe(0);
  expect(keySpace.known('bank acme')).toBe(1);
  keySpace.known('bank ac');
  expect(mirror.names.reads).toBe(1);
  // Only now are the words in names with `bank` counted.
  expect(keySpace.pairsWith('bank', () => 0)).toBe(true);
});
