import { expect, test } from 'vitest';
import { ALL_COMPANIES, SortedTexts } from '../../../src/names/ordered_texts.ts';
import { SortedWords } from '../../../src/names/ordered_words.ts';
import { KeySpace } from '../../../src/plan/discovery/key_space.ts';
import { MemoryMirror } from '../../support/simulation/memory_knowledge.ts';

/**
 * A mirror of a million companies that has only some of their names. Its index counts all words.
 */
class LargeMirror extends MemoryMirror {
  readonly names: ReadCountingTexts;

  constructor(names: readonly string[]) {
    super();
    this.names = new ReadCountingTexts(names);
  }

  override knownCount(): number {
    return 1_000_000;
  }

  override textsInOrder(): ReadCountingTexts {
    return this.names;
  }

  override wordsInOrder(): SortedWords {
    return new SortedWords(ALL_COMPANIES, new SortedTexts(this.names.texts).all());
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
  'the planner reads no name of a large registry to count words: %s',
  (semantics) => {
    const mirror = new LargeMirror(['acme limited', 'acme bank', 'bank of man limited']);
    const keySpace = new KeySpace('name', semantics, 1, mirror);
    expect(keySpace.known('acme')).toBe(2);
    expect(keySpace.pairsWith('limited', () => 0)).toBe(false);
    expect(mirror.names.reads).toBe(0);
  },
);

test("the planner reads a large registry's names to count pairs of words only if many companies are unseen", () => {
  const mirror = new LargeMirror(['acme bank']);
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
