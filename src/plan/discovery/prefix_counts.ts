import type { Counts } from './known_texts.ts';

/** The texts that begin with one prefix. */
interface Branch {
  /** The number of texts with the prefix. Each company counts once. */
  count: number;
  /** The number of texts that equal the prefix. */
  ends: number;
  /** The branches, by next character; null if there are none. */
  next: Map<string, Branch> | null;
}

/** Counts texts by prefix in memory, with a trie. */
export class PrefixCounts implements Counts {
  readonly #root = newBranch();

  add(text: string, countedTo = -1, weight = 1): void {
    let branch = this.#root;
    if (countedTo < 0) branch.count += weight;
    for (let at = 0; at < text.length; ) {
      const character = characterAt(text, at);
      at += character.length;
      branch = childOf(branch, character);
      if (at > countedTo) branch.count += weight;
    }
    branch.ends += weight;
  }

  count(prefix: string): number {
    return this.#branchAt(prefix)?.count ?? 0;
  }

  ends(text: string): number {
    return this.#branchAt(text)?.ends ?? 0;
  }

  followers(prefix: string): Map<string, number> {
    const branches = this.#branchAt(prefix)?.next ?? [];
    return new Map([...branches].map(([character, { count }]) => [character, count]));
  }

  /** Returns the prefix's branch, or undefined if no text has the prefix. */
  #branchAt(prefix: string): Branch | undefined {
    let branch: Branch | undefined = this.#root;
    for (let at = 0; at < prefix.length && branch !== undefined; ) {
      const character = characterAt(prefix, at);
      at += character.length;
      branch = branch.next?.get(character);
    }
    return branch;
  }
}

function childOf(branch: Branch, character: string): Branch {
  branch.next ??= new Map();
  const existing = branch.next.get(character);
  if (existing !== undefined) return existing;
  const child = newBranch();
  branch.next.set(character, child);
  return child;
}

function newBranch(): Branch {
  return { count: 0, ends: 0, next: null };
}

function characterAt(text: string, at: number): string {
  return String.fromCodePoint(text.codePointAt(at) ?? 0);
}
