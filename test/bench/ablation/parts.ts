/** A part of the planner, and the replacements in the sources that switch the part off. */
export interface Part {
  readonly name: string;
  readonly changes: readonly Change[];
}

export interface Change {
  /** The file in `src/plan/discovery`. */
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

export const PARTS: readonly Part[] = [
  part('calibration', 'node_actions', 'this.#calibration.ratio({ query, reason: prediction.reason })', '1'),
  part('calibration for each script', 'calibration', "scriptOf([...text].at(-1) ?? '')", 'null'),
  part('broader queries first', 'node_actions', 'BREADTH = 0.15', 'BREADTH = 0'),
  part('listing before splitting', 'query_tree', 'node.isListedFirst = listingPays(', 'void listingPays('),
  part('pairs of words', 'query_tree', 'if (isTruncated && this.#isWord(node)', 'if (false'),
  part('overlap weight', 'extension_weights', 'OVERLAP_WEIGHT = 0.003', 'OVERLAP_WEIGHT = 0'),
  part('resemblance to unseen companies', 'key_space', 'if (!this.overlaps) return 1;', 'return 1;'),
  part('weight of foreign scripts', 'extension_weights', 'const isForeign =', 'const isForeign = false &&'),
  part(
    'repeated queries',
    'extension_weights',
    '.filter((child) => this.#isOutdated(child, node))',
    '.slice(0, 0)',
  ),
  part('covering queries', 'unseen_counts', 'return most;', 'return Number.POSITIVE_INFINITY;'),
  part('several queries per company', 'prefix_texts', 'perCompany: Math.max(1,', 'perCompany: Math.min(1,'),
  part('common company words', 'key_space', ', generalModel()', ', null'),
  part('contexts above order 2', 'name_model', 'MAX_ORDER = 5', 'MAX_ORDER = 2'),
  part('prior for first characters', 'name_model', 'PRIOR_SHARE = 0.2', 'PRIOR_SHARE = 0'),
  part('common words for short prefixes', 'name_model', 'GENERAL_SHARE = 0.1', 'GENERAL_SHARE = 0'),
  part(
    'common characters of large scripts',
    'name_model',
    'inventoryOf((character)',
    '((_: unknown) => [])((character: string)',
  ),
  part('alphabets', 'name_model', 'ALPHABETS.filter(', '[...ALPHABETS].slice(0, 0).filter('),
  part('first queries always offered', 'prefix_texts', 'FIRST_OFFERED = 20', 'FIRST_OFFERED = 0', [
    change('whole_words', 'FIRST_OFFERED = 20', 'FIRST_OFFERED = 0'),
  ]),
  part('beginnings of words in other scripts', 'seeds', 'minLength <= 1 && semantics', 'true || semantics'),
  part('lower weight of punctuation', 'name_model', 'PUNCTUATION_FACTOR = 0.1', 'PUNCTUATION_FACTOR = 1'),
  part('discount for truncated queries', 'search_yield', 'TRUNCATED_SHARE = 0.8', 'TRUNCATED_SHARE = 1'),
];

function part(name: string, file: string, from: string, to: string, more: readonly Change[] = []): Part {
  return { name, changes: [change(file, from, to), ...more] };
}

function change(file: string, from: string, to: string): Change {
  return { file: `${file}.ts`, from, to };
}
