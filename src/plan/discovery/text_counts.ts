import type { Counts } from './field.ts';

interface Branch {
  /** Texts that come through here, but for those that were counted by a longer way already. */
  count: number;
  ends: number;
  /** What follows in each of the texts, while there are few; null: it has branches. */
  rests: string[] | null;
  readonly next: Map<string, Branch>;
}

/**
 * Counts how many of the texts seen begin with a given one. A burst trie: few texts below a branch stand in a list,
 * many burst into branches (Heinz, Zobel and Williams, ACM TOIS 20(2), 2002).
 */
export class TextCounts implements Counts {
  readonly #root = newBranch();

  add(text: string, countedTo = -1): void {
    let branch = this.#root;
    for (let at = 0; ; ) {
      if (at > countedTo) branch.count++;
      if (at === text.length) {
        branch.ends++;
        return;
      }
      if (branch.rests !== null && at >= countedTo && branch.rests.length < MOST_RESTS) {
        branch.rests.push(text.slice(at));
        return;
      }
      burst(branch);
      const character = characterAt(text, at);
      branch = childOf(branch, character);
      at += character.length;
    }
  }

  count(text: string): number {
    const found = this.#find(text);
    if (typeof found === 'object') return found.branch.count;
    return found;
  }

  ends(text: string): number {
    return this.#branchAt(text)?.ends ?? 0;
  }

  followers(text: string): Map<string, number> {
    const branch = this.#branchAt(text);
    return new Map(
      branch === null ? [] : [...branch.next].map(([character, { count }]) => [character, count]),
    );
  }

  /** A branch, where the text leads to one; else how many texts in a list begin with it. */
  #find(text: string): { readonly branch: Branch } | number {
    let branch = this.#root;
    for (let at = 0; at < text.length; ) {
      if (branch.rests !== null) return beginningWith(branch.rests, text.slice(at));
      const character = characterAt(text, at);
      const next = branch.next.get(character);
      if (next === undefined) return 0;
      branch = next;
      at += character.length;
    }
    return { branch };
  }

  /** Bursts what lies on the way. */
  #branchAt(text: string): Branch | null {
    let branch = this.#root;
    for (let at = 0; at < text.length; ) {
      burst(branch);
      const character = characterAt(text, at);
      const next = branch.next.get(character);
      if (next === undefined) return null;
      branch = next;
      at += character.length;
    }
    burst(branch);
    return branch;
  }
}

function newBranch(): Branch {
  return { count: 0, ends: 0, rests: [], next: new Map() };
}

function burst(branch: Branch): void {
  if (branch.rests === null) return;
  const { rests } = branch;
  branch.rests = null;
  for (const rest of rests) {
    const character = characterAt(rest, 0);
    const child = childOf(branch, character);
    child.count++;
    if (rest.length === character.length) child.ends++;
    else (child.rests as string[]).push(rest.slice(character.length));
  }
}

function childOf(branch: Branch, character: string): Branch {
  const existing = branch.next.get(character);
  if (existing !== undefined) return existing;
  const child = newBranch();
  branch.next.set(character, child);
  return child;
}

function beginningWith(rests: readonly string[], text: string): number {
  let count = 0;
  for (const rest of rests) if (rest.startsWith(text)) count++;
  return count;
}

function characterAt(text: string, at: number): string {
  return String.fromCodePoint(text.codePointAt(at) ?? 0);
}

const MOST_RESTS = 32;
