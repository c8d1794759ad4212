/**
 * An id in the form of the known ones that almost surely names no company. Each attempt gives another:
 * the extremes of the form first, then texts that only look random.
 */
export function unknownIdLike(knownIds: readonly string[], attempt: number): string | null {
  const known = new Set(knownIds);
  const pattern = knownIds[attempt % Math.max(knownIds.length, 1)];
  if (pattern === undefined) return null;
  for (let variant = attempt; variant < attempt + 50; variant++) {
    const id = disguised(pattern, variant);
    if (id !== pattern && !known.has(id)) return id;
  }
  return null;
}

function disguised(pattern: string, variant: number): string {
  let seed = variant * 7919 + 104_729;
  return pattern.replace(/[0-9A-Za-z]/g, (character) => {
    if (variant === 0) return ofSameClass(character, Number.MAX_SAFE_INTEGER);
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    return ofSameClass(character, seed >>> 8);
  });
}

const CLASSES = ['0123456789', 'abcdefghijklmnopqrstuvwxyz', 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];

/** The character of the same class at this rank, the last one where the rank is beyond the class. */
function ofSameClass(character: string, rank: number): string {
  const characters = CLASSES.find((one) => one.includes(character)) ?? character;
  return characters.charAt(
    rank === Number.MAX_SAFE_INTEGER ? characters.length - 1 : rank % characters.length,
  );
}
