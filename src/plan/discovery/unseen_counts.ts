import type { QueryState } from '../../knowledge.ts';
import { isPunctuation } from './first_characters.ts';
import type { FirstLooks } from './first_looks.ts';
import type { Extension, KeySpace } from './key_space.ts';
import { isPairRoot, type Kind, type NodeExtensions, type QueryNode, type Weights } from './query_node.ts';
import type { Expected, Limits } from './search_yield.ts';

/** What the registry says of its size. */
export interface RegistryCount {
  /** null: it does not say. */
  readonly total: number | null;
  readonly observedAtMs: number;
}

/** A text that could be asked now, and what is expected of it. */
export interface QueryCandidate extends Expected {
  readonly text: string;
  readonly kind: Kind;
  /** How likely it hides any company at all. */
  readonly chance: number;
}

/**
 * Where the companies hide that nobody has seen. A text that was asked has a gap between what the upstream counts and
 * what is known. What the texts below it do not explain of it is shared out among those that were not asked, by what
 * is known below them and by what names are like: a Dirichlet predictive.
 */
export class UnseenCounts {
  readonly #keySpace: KeySpace;
  readonly #limits: Limits;
  readonly #isAsked: (text: string) => boolean;
  #registryCount: RegistryCount = { total: null, observedAtMs: 0 };
  /** The share of companies on the pages seen lately that were new. */
  #freshness = 1;
  /** What the root hides, as computed last, and when. */
  #unseenAt = { moment: -1, companies: 0 };
  /** Counts what happened. */
  #revision = 0;
  /** When last something happened that may tell of every text: what was weighed before is out of date. */
  #changedAt = 0;
  /** What the field had learned by then. */
  #keySpaceRevision = 0;

  readonly #firstLooks: FirstLooks | null;

  /** `firstLooks`: first characters to be tried before a script that no known name uses; null: none. */
  constructor(
    keySpace: KeySpace,
    limits: Limits,
    isAsked: (text: string) => boolean,
    firstLooks: FirstLooks | null = null,
  ) {
    this.#keySpace = keySpace;
    this.#limits = limits;
    this.#isAsked = isAsked;
    this.#firstLooks = firstLooks;
  }

  /** Is this news? */
  counted(registryCount: RegistryCount): boolean {
    const isSame =
      registryCount.total === this.#registryCount.total &&
      registryCount.observedAtMs === this.#registryCount.observedAtMs;
    this.#registryCount = registryCount;
    if (!isSame) this.invalidate(null);
    return !isSame;
  }

  /**
   * A node was asked or answered, which tells of those above it too; null: it may tell of all. `share` of its companies that
   * were new, where a page came.
   */
  invalidate(node: QueryNode | null, share: number | null = null): void {
    this.#revision++;
    if (node === null || this.#keySpace.revision !== this.#keySpaceRevision) {
      this.#changedAt = this.#revision;
      this.#keySpaceRevision = this.#keySpace.revision;
    }
    for (let one = node; one !== null; one = one.parent) one.changedAt = this.#revision;
    if (share !== null) this.#freshness += SWIFTNESS * (share - this.#freshness);
  }

  /** Companies below that nobody has seen, as far as can be told. */
  of(node: QueryNode): number {
    if (node.parent === null) return Math.max(this.unseenInAll, this.#unseenBelow(node));
    const { state, page, expected } = node;
    if (isPairRoot(node)) return this.#shared(node, node.parent);
    if (state === null) return expected?.unseen ?? 0;
    if (state.status === 'complete' || this.#keySpace.isAliased(node.query.text)) return 0;
    const unlisted = state.total === null ? this.#limits.pageSize : Math.max(0, state.total - state.rows);
    const share = isPunctuation(node.query.text) ? this.#newShareOf(node) : null;
    if (share !== null) return unlisted * share;
    // It finds by another rule than was taken to hold: what is new on a page tells how much is.
    if (page !== null && 2 * page.fitting < page.rows)
      return (unlisted * (page.new + HALF)) / (page.rows + 1);
    if (state.total === null) return this.#shared(node, node.parent);
    const fitting = page === null ? 1 : (page.fitting + SURE_OF_RULE) / (page.rows + SURE_OF_RULE);
    return Math.min(unlisted, Math.max(0, state.total * fitting - this.#keySpace.known(node.query.text)));
  }

  /** What is expected of every text below that could be asked now. */
  candidatesOf(node: QueryNode): QueryCandidate[] {
    const rest = this.#unexplained(node);
    if (rest <= 0) return [];
    const most = this.of(node);
    const { sum, unseen } = this.#weigh(node);
    const parts: QueryCandidate[] = [];
    const add = (text: string, known: number, weight: number, kind: Kind) =>
      parts.push({
        ...{ text, known, kind },
        unseen: Math.min(most, (rest * weight) / sum),
        // Names begin with any letter, sooner or later; of those that identifiers could begin with, few are in use.
        chance: this.#keySpace.by === 'name' ? 1 : 1 - (1 + rest / sum) ** -weight,
      });
    const open = this.#extensionsOf(node).extensions.filter(({ text }) => !this.#isAsked(text));
    const { foreign, others } = this.#divided(open, node);
    for (const { text, likelihood, isStrange } of others) {
      const known = this.#keySpace.known(text);
      add(text, known, known + unseen * likelihood, this.#kindOf(text, known, isStrange));
    }
    const [likeliest] = foreign;
    const first = likeliest === undefined || node.parent !== null ? null : this.#firstLook();
    if (likeliest !== undefined && first !== null)
      add(first, this.#keySpace.known(first), unseen * likeliest.likelihood, 'stranger');
    for (const child of node.children) {
      if (!this.#isOutdated(child, node)) continue;
      const known = this.#keySpace.known(child.query.text);
      add(child.query.text, known, known + HALF, 'again');
    }
    return parts;
  }

  /**
   * Queries in a foreign script, which no known name uses, wait for the due first characters. But a registry
   * with more missing than known companies may use such a script. And a script of thousands of characters has many that are as
   * unlikely.
   */
  #divided(
    open: readonly Extension[],
    { parent, query }: QueryNode,
  ): { readonly foreign: readonly Extension[]; readonly others: readonly Extension[] } {
    const firstLooks = this.#firstLooks;
    const isFirst = parent === null || query.text.endsWith(' ');
    const isAnyScript = firstLooks?.isOfThousands || this.unseenInAll > this.#keySpace.companies;
    if (firstLooks === null || !isFirst || isAnyScript || this.#firstLook() === null)
      return { foreign: [], others: open };
    const isForeign = ({ text }: Extension) => firstLooks.isForeign(text.slice(query.text.length));
    return { foreign: open.filter(isForeign), others: open.filter((one) => !isForeign(one)) };
  }

  isAlphabetOpen(root: QueryNode): boolean {
    const isForeign = (text: string) => this.#firstLooks?.isForeign(text) ?? false;
    return this.#extensionsOf(root).extensions.some(
      ({ text, isStrange }) => isStrange && !this.#isAsked(text) && !isForeign(text),
    );
  }

  /** The next due first character; null: all were sent. */
  #firstLook(): string | null {
    const isOpen = (text: string) => !this.#isAsked(text) && !this.#keySpace.isAliased(text);
    return this.#firstLooks?.next(isOpen) ?? null;
  }

  /**
   * The share of new companies among those that match a punctuation query. An upstream may refuse or drop punctuation, or
   * interpret it, such as `%` for any text: then the share is 0.
   * null: the query counts as any other does.
   */
  #newShareOf({ query: { text }, state, page }: QueryNode): number | null {
    if (state === null || state.status === 'refused') return 0;
    const known = this.#keySpace.known(text);
    if (page === null) return known < state.rows ? 0 : null;
    if (2 * page.fitting < page.rows) return 0;
    // The counts of words leave out punctuation.
    return known === 0 ? page.new / Math.max(1, page.rows) : null;
  }

  overflows({ total }: QueryState): boolean {
    return total !== null && total > this.#limits.window;
  }

  #kindOf(text: string, known: number, isStrange: boolean): Kind {
    if (this.#keySpace.takesPairs && text.includes(' ')) return 'pair';
    return known > 0 ? 'seen' : isStrange ? 'stranger' : 'unseen';
  }

  /** What the texts below a node that were counted do not explain of its gap. */
  #unexplained(node: QueryNode): number {
    let rest = this.of(node) * this.#keySpace.spread(node.query.text).each;
    for (const child of node.children) if (this.#isCounted(child)) rest -= this.of(child);
    return rest;
  }

  /** Its share of what lies hidden above it: it does not say itself. */
  #shared(node: QueryNode, above: QueryNode): number {
    return Math.max(0, (this.#unexplained(above) * this.#weightOf(node)) / this.#weigh(above).sum);
  }

  /** What all that can hide companies below a node weighs. */
  #weigh(node: QueryNode): Weights {
    const ways = this.#extensionsOf(node);
    if (this.#isUpToDate(node, ways.weighedAt)) return ways.weights;
    const { text } = node.query;
    const unseen = this.#keySpace.spread(text).ways + HALF;
    let sum = unseen * ways.otherwise;
    if (node.parent !== null && !node.children.some(isPairRoot)) sum += this.#keySpace.ending(text);
    for (const { text: longer, likelihood } of ways.extensions)
      if (!this.#isAsked(longer)) sum += this.#keySpace.known(longer) + unseen * likelihood;
    for (const child of node.children) {
      // In how many ways the missing companies go on is taken from those known: what is left over may be none at all.
      if (this.#keySpace.overlaps && this.#isCounted(child))
        sum += DOUBT * this.#keySpace.known(child.query.text);
      if (!this.#isCounted(child)) sum += this.#weightOf(child);
      else if (this.#isOutdated(child, node)) sum += this.#keySpace.known(child.query.text) + HALF;
    }
    ways.weights = { sum: Math.max(sum, LEAST_WEIGHT), unseen };
    ways.weighedAt = this.#revision;
    return ways.weights;
  }

  /** Of a text that does not say how many it has: what of it was not looked at yet. */
  #weightOf(node: QueryNode): number {
    if (node.state?.status === 'open') return this.#keySpace.known(node.query.text) + HALF;
    const { sum } = this.#weigh(node);
    return isPairRoot(node) ? sum / this.#keySpace.spread(node.query.text).each : sum;
  }

  /** Does it say how many companies it has, or is it known what to expect of it? */
  #isCounted(node: QueryNode): boolean {
    const { state, query } = node;
    if (state === null) return !isPairRoot(node);
    return state.status === 'complete' || state.total !== null || this.#keySpace.isAliased(query.text);
  }

  /** Was it asked before what lies above it was counted last? */
  #isOutdated({ state, awaited }: QueryNode, above: QueryNode): boolean {
    if (state === null || awaited !== null) return false;
    return state.listedAtMs < this.#countedAtMs(above);
  }

  #countedAtMs({ parent, state }: QueryNode): number {
    if (parent === null) return this.#registryCount.observedAtMs;
    return state?.listedAtMs ?? this.#countedAtMs(parent);
  }

  #isUpToDate(node: QueryNode, moment: number): boolean {
    return moment >= Math.max(node.changedAt, this.#changedAt);
  }

  /** Looked for again as more is known, when most of those offered were asked, and when all were that there are. */
  #extensionsOf(node: QueryNode): NodeExtensions {
    const { extensions: ways } = node;
    if (ways !== null && this.#isUpToDate(node, ways.checkedAt)) return ways;
    const { companies } = this.#keySpace;
    if (ways !== null) {
      ways.checkedAt = this.#revision;
      const open = ways.extensions.filter(({ text }) => !this.#isAsked(text)).length;
      const isShort = ways.isTruncated ? open < FEWEST_OFFERED : open === 0 && companies > ways.companies;
      const isBlurred = ways.extensions.some(({ text }) => this.#keySpace.isAliased(text));
      if (!isShort && !isBlurred && companies < GROWN * ways.companies) return ways;
    }
    const { offered, ...others } = this.#keySpace.extensions(node.query.text, this.#isAsked);
    const weights = { sum: LEAST_WEIGHT, unseen: HALF };
    node.extensions = {
      extensions: offered,
      ...others,
      companies,
      checkedAt: this.#revision,
      weights,
      weighedAt: -1,
    };
    return node.extensions;
  }

  /** How many companies the registry says it has; null also where more are known: its count tells nothing of the others. */
  get #stated(): number | null {
    const { total } = this.#registryCount;
    return total !== null && this.#keySpace.companies <= total ? total : null;
  }

  /** Companies of the whole registry that nobody has seen. Where it does not say, what is new on pages tells. */
  get unseenInAll(): number {
    const known = this.#keySpace.companies;
    if (this.#stated !== null) return this.#stated - known;
    const fresh = Math.min(this.#freshness, HALF);
    return Math.max(this.#limits.pageSize, (known * fresh) / (1 - fresh));
  }

  /**
   * Where the registry does not say how many it has, the totals of the texts below the root do: what is missing there and,
   * by their share of all texts, what is below the others. Else a few of them that hide many would explain all of it.
   */
  #unseenBelow(root: QueryNode): number {
    if (this.#stated !== null) return 0;
    if (this.#unseenAt.moment === this.#revision) return this.#unseenAt.companies;
    const { extensions, asked } = this.#extensionsOf(root);
    let [share, seen, unseenCounts, unasked] = [asked, 0, 0, 0];
    for (const { text, likelihood } of extensions) {
      if (this.#isAsked(text)) share += likelihood;
      else unasked += this.#keySpace.known(text);
    }
    for (const child of root.children) {
      if (child.state === null || !this.#isCounted(child)) continue;
      unseenCounts += this.of(child);
      seen += this.of(child) + this.#keySpace.known(child.query.text);
    }
    const others = share < LEAST_SHARE ? 0 : Math.max(0, (seen * (1 - share)) / share - unasked);
    const companies = (unseenCounts + others) / this.#keySpace.spread('').each;
    this.#unseenAt = { moment: this.#revision, companies };
    return companies;
  }
}

const HALF = 0.5;
const LEAST_SHARE = 0.02;
const DOUBT = 0.003;
const SWIFTNESS = 0.1;
const SURE_OF_RULE = 4;
const GROWN = 1.2;
const FEWEST_OFFERED = 20;
const LEAST_WEIGHT = 1e-9;
