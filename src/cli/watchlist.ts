import { Command } from '@commander-js/extra-typings';
import { requireDialect } from '../config/config.ts';
import { UsageError } from '../errors.ts';
import { watchKnowledge } from '../operations/assemble.ts';
import { candidateData, readWatchlist } from '../operations/backfill_items.ts';
import { type NameResult, openNames } from '../plan/wanted/wanted_names.ts';
import { printable } from '../printable.ts';
import { counted } from '../report/figures.ts';
import { define } from './command.ts';

/** `watchlist`: shows which known companies match the names in the watchlist. */
export default () =>
  define(
    'reader',
    new Command('watchlist').description(
      'Shows, for each name in scope.names, the company with exactly this name, or the candidates with their ' +
        'similarity (1 for the same name). If several companies have the name, or only similar names exist, put the ' +
        'ids that you mean into scope.ids.',
    ),
    ({ config, warehouse, clock }) => {
      const watchlist = readWatchlist(config.scope);
      if (watchlist?.of !== 'names')
        throw new UsageError('the configuration has no watchlist of names (scope.names)', {
          hint: 'Set `scope: { names: FILE }`, with one name per line.',
        });
      const knowledge = watchKnowledge({ config, warehouse }, clock.now());
      const search = openNames(watchlist.lines, knowledge, requireDialect(config));
      const names = watchlist.lines.map((name, at) => watchedName(name, search.finding(at)));
      const counts = { open: 0, found: 0, ambiguous: 0, not_found: 0 };
      for (const { state } of names) counts[state]++;
      const headline = `${counted(names.length, 'name')}: ${counts.found} found, ${counts.ambiguous} ambiguous, ${counts.not_found} not in the registry, ${counts.open} not searched yet.`;
      return { data: { counts, names }, text: [headline, ...names.map(lineOf)].join('\n') };
    },
  );

/**
 * Returns a name with its matching companies. A found name has one company with score 1, and an ambiguous name has
 * several companies.
 */
function watchedName(name: string, finding: NameResult) {
  const companies =
    finding.is === 'found' ? [finding.company] : finding.is === 'ambiguous' ? finding.candidates : [];
  return { name, state: finding.is, candidates: companies.map(candidateData) };
}

function lineOf({ name, state, candidates }: ReturnType<typeof watchedName>): string {
  const shown = candidates.map(({ entity_id, name: own, score }) => `${entity_id} ${own} (${score})`);
  return printable(
    `  ${[`${name}: ${STATE_TEXT[state]}`, ...(shown.length > 0 ? [shown.join('; ')] : [])].join(': ')}`,
  );
}

const STATE_TEXT: Readonly<Record<NameResult['is'], string>> = {
  found: 'found',
  ambiguous: 'ambiguous',
  not_found: 'not found',
  open: 'not searched yet',
};
