import type { Change } from '../plan/probing/proposal.ts';

/** Changes of the dialect as a person can apply them: the keys of the configuration, each with what stood there. */
export function describeChanges(changes: readonly Change[]): string[] {
  if (changes.length === 0) return [];
  return [
    'These changes of the dialect would fit the answers; write them into the configuration, then `registry-mirror probe --check`:',
    '  dialect:',
    ...['search', 'entity', 'stats'].flatMap((section) => {
      const own = changes.filter(({ key }) => key.startsWith(`${section}.`));
      if (own.length === 0) return [];
      return [`    ${section}:`, ...own.map((change) => `      ${lineOf(change, section)}`)];
    }),
  ];
}

function lineOf({ key, from, to, because }: Change, section: string): string {
  return `${key.slice(section.length + 1)}: ${shown(to)}   # was ${shown(from)}; ${because}`;
}

function shown(value: string | null): string {
  return value === null ? 'null' : value === '' ? "''" : value;
}
