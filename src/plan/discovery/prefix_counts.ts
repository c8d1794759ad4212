import type { Counts } from './known_texts.ts';

/** The texts that begin with one prefix. */
interface Branch {
  /** The number of texts with the prefix. Each company counts once. */
  count: number;
  /** The number of texts that equal the prefix. */
  ends: number;
  /**
   * The container: what remains of the texts after the prefix, with the number of texts for each remainder. Null once
   * the container has burst into `next`.
   */
  remainders: Map<string, number> | null;
  /** The branches, by next character; null until the container bursts. */
  next: Map<string, Branch> | null;
}

/**
 * Counts texts by prefix in memory, with a burst trie. A container stores the remainders of the texts after a prefix. A
 * container with more than 32 remainders bursts: it is replaced by one branch for each next character. Source: Heinz,
 * Zobel and Williams, "Burst tries" (ACM TOIS 20(2), 2002).
 */
export class PrefixCounts implements Counts {
  readonly #root = newBranch();

  add(text: string, countedTo = -1, weight = 1): void {
    let branch = this.#root;
    for (let at = 0; ; ) {
      if (at > countedTo) branch.count += weight;
      if (at === text.length) {
        branch.ends += weight;
        return;
      }
      if (branch.remainders !== null && at >= countedTo) {
        const remainder = text.slice(at);
        const texts = branch.remainders.get(remainder) ?? 0;
        if (texts > 0 || branch.remainders.size < MAX_REMAINDERS) {
          branch.remainders.set(remainder, texts + weight);
          return;
        }
      }
      const character = characterAt(text, at);
      branch = childOf(burst(branch), character);
      at += character.length;
    }
  }

  count(prefix: string): number {
    const found = this.#find(prefix);
    if (typeof found === 'object') return found.branch.count;
    return found;
  }

  ends(text: string): number {
    return this.#branchAt(text)?.ends ?? 0;
  }

  followers(prefix: string): Map<string, number> {
    const branch = this.#branchAt(prefix);
    const branches = branch === null ? [] : burst(branch);
    return new Map([...branches].map(([character, { count }]) => [character, count]));
  }

  /** Returns the prefix's branch or, if the prefix ends inside a container, the number of texts with the prefix. */
  #find(prefix: string): { readonly branch: Branch } | number {
    let branch = this.#root;
    for (let at = 0; at < prefix.length; ) {
      if (branch.remainders !== null) return countWithPrefix(branch.remainders, prefix.slice(at));
      const character = characterAt(prefix, at);
      const next = branch.next?.get(character);
      if (next === undefined) return 0;
      branch = next;
      at += character.length;
    }
    return { branch };
  }

  /** Returns the prefix's branch, or null if no text has the prefix. Bursts the containers on the path. */
  #branchAt(prefix: string): Branch | null {
    let branch = this.#root;
    for (let at = 0; at < prefix.length; ) {
      const character = characterAt(prefix, at);
      const next = burst(branch).get(character);
      if (next === undefined) return null;
      branch = next;
      at += character.length;
    }
    return branch;
  }
}

function newBranch(): Branch {
  return { count: 0, ends: 0, remainders: new Map(), next: null };
}

/** Bursts the branch's container if there is one, and returns the branches by next character. */
function burst(branch: Branch): Map<string, Branch> {
  const { remainders } = branch;
  branch.next ??= new Map();
  if (remainders === null) return branch.next;
  branch.remainders = null;
  for (const [remainder, texts] of remainders) {
    const character = characterAt(remainder, 0);
    const child = childOf(branch.next, character);
    child.count += texts;
    if (remainder.length === character.length) child.ends += texts;
    else child.remainders?.set(remainder.slice(character.length), texts);
  }
  return branch.next;
}

function childOf(branches: Map<string, Branch>, character: string): Branch {
  const existing = branches.get(character);
  if (existing !== undefined) return existing;
  const child = newBranch();
  branches.set(character, child);
  return child;
}

function countWithPrefix(remainders: ReadonlyMap<string, number>, prefix: string): number {
  let count = 0;
  for (const [remainder, texts] of remainders) if (remainder.startsWith(prefix)) count += texts;
  return count;
}

function characterAt(text: string, at: number): string {
  return String.fromCodePoint(text.codePointAt(at) ?? 0);
}

const MAX_REMAINDERS = 32;
