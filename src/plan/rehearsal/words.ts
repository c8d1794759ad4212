export interface WordSource {
  /** Words that were seen, each as often as it was. */
  readonly seen: readonly string[];
  /** How many words seen weigh as much as the chance of a new one. */
  readonly novelty: number;
  readonly coin: () => string;
  readonly random: () => number;
}

/**
 * Words as names come to have them: one that others have, the more of them the likelier; or a new one, which others
 * will have. The more words there are, the likelier one more (Pitman and Yor, Annals of Probability 25(2), 1997).
 */
export function wordsFrom({ seen, novelty, coin, random }: WordSource): () => string {
  const drawn = [...seen];
  let different = new Set(seen).size;
  return () => {
    const isNew = random() < (novelty + DISCOUNT * different) / (drawn.length + novelty);
    const word = isNew ? coin() : (drawn[Math.floor(random() * drawn.length)] ?? coin());
    if (isNew) different++;
    drawn.push(word);
    return word;
  };
}

const DISCOUNT = 0.5;
