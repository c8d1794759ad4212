import type { Counts } from './key_space.ts';

interface Branch {
  /** Texts that come through here, but for those that were counted by a longer way already. */
  count: number;
  ends: number;
  /** How the texts go on, each with how many do so, while those are few. Then null: they are in the branches. */
  rests: Map<string, number> | null;
  next: Map<string, Branch> | null;
}

/**
 * Counts how many of the texts seen begin with a given one. A burst trie: few different texts below a branch stand in
 * a list, many burst into branches (Heinz, Zobel and Williams, ACM TOIS 20(2), 2002).
 */
export class PrefixCounts implements Counts {
  readonly #root = newBranch();

  add(text: string, countedTo = -1): void {
    let branch = this.#root;
    for (let at = 0; ; ) {
      if (at > countedTo) branch.count++;
      if (at === text.length) {
        branch.ends++;
        return;
      }
      if (branch.rests !== null && at >= countedTo) {
        const rest = text.slice(at);
        const times = branch.rests.get(rest) ?? 0;
        if (times > 0 || branch.rests.size < MOST_RESTS) {
          branch.rests.set(rest, times + 1);
          return;
        }
      }
      const character = characterAt(text, at);
      branch = childOf(branchesOf(branch), character);
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
    const branches = branch === null ? [] : branchesOf(branch);
    return new Map([...branches].map(([character, { count }]) => [character, count]));
  }

  /** A branch, where the text leads to one; else how many texts in a list begin with it. */
  #find(text: string): { readonly branch: Branch } | number {
    let branch = this.#root;
    for (let at = 0; at < text.length; ) {
      if (branch.rests !== null) return withPrefix(branch.rests, text.slice(at));
      const character = characterAt(text, at);
      const next = branch.next?.get(character);
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
      const character = characterAt(text, at);
      const next = branchesOf(branch).get(character);
      if (next === undefined) return null;
      branch = next;
      at += character.length;
    }
    return branch;
  }
}

function newBranch(): Branch {
  return { count: 0, ends: 0, rests: new Map(), next: null };
}

/** The branches below; a list bursts into them. */
function branchesOf(branch: Branch): Map<string, Branch> {
  const { rests } = branch;
  branch.next ??= new Map();
  if (rests === null) return branch.next;
  branch.rests = null;
  for (const [rest, times] of rests) {
    const character = characterAt(rest, 0);
    const child = childOf(branch.next, character);
    child.count += times;
    if (rest.length === character.length) child.ends += times;
    else child.rests?.set(rest.slice(character.length), times);
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

function withPrefix(rests: ReadonlyMap<string, number>, text: string): number {
  let count = 0;
  for (const [rest, times] of rests) if (rest.startsWith(text)) count += times;
  return count;
}

function characterAt(text: string, at: number): string {
  return String.fromCodePoint(text.codePointAt(at) ?? 0);
}

const MOST_RESTS = 32;
