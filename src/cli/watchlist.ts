import { Command } from 'commander';
import { systemClock } from '../clock.ts';
import { requireDialect } from '../config/config.ts';
import { UsageError } from '../errors.ts';
import { readScope, watchKnowledge } from '../operations/assemble.ts';
import type { Finding } from '../plan/wanted/name_findings.ts';
import { findingsOf } from '../plan/wanted/watchlist.ts';
import { printable } from '../printable.ts';
import { counted } from '../report/figures.ts';
import { type SharedFlags, withSharedOptions } from './context.ts';
import { withWarehouse } from './with_warehouse.ts';

/** `watchlist`: shows which known companies match the names in the watchlist. */
export function watchlistCommand(): Command {
  const command = new Command('watchlist')
    .description(
      'Shows, for each name in scope.names, the company with exactly this name, or the candidates with their ' +
        'similarity (1 for the same name). If several companies have the name, or only similar names exist, put the ' +
        'ids that you mean into scope.ids.',
    )
    .action((flags: SharedFlags) => watchlist(flags));
  return withSharedOptions(command);
}

interface WatchedName {
  readonly name: string;
  readonly state: Finding['is'];
  /** The matching companies. A found name has one company with score 1, and an ambiguous name has several companies. */
  readonly candidates: readonly {
    readonly entity_id: string;
    readonly name: string;
    readonly score: number;
  }[];
}

function watchlist(flags: SharedFlags): Promise<void> {
  return withWarehouse(flags, 'read', (warehouse, { config, output }) => {
    const scope = readScope(config.scope);
    if (scope.of !== 'names')
      throw new UsageError('the configuration has no watchlist of names (scope.names)', {
        hint: 'Set `scope: { names: FILE }`, with one name per line.',
      });
    const knowledge = watchKnowledge({ config, warehouse }, systemClock.now());
    const findings = findingsOf(scope.names, knowledge, requireDialect(config));
    const names = scope.names.map((name, at) => watchedName(name, findings[at] as Finding));
    output.result({
      command: 'watchlist',
      data: { counts: countsOf(names), names },
      text: [headline(names), ...names.map(lineOf)].join('\n'),
    });
  });
}

function watchedName(name: string, finding: Finding): WatchedName {
  const companies =
    finding.is === 'found' ? [finding.company] : finding.is === 'ambiguous' ? finding.candidates : [];
  const candidates = companies.map(({ entityId, name: own, score }) => ({
    entity_id: entityId,
    name: own,
    score: Math.round(score * 1000) / 1000,
  }));
  return { name, state: finding.is, candidates };
}

function countsOf(names: readonly WatchedName[]): Record<Finding['is'], number> {
  const counts = { open: 0, found: 0, ambiguous: 0, not_found: 0 };
  for (const { state } of names) counts[state]++;
  return counts;
}

function headline(names: readonly WatchedName[]): string {
  const { found, ambiguous, not_found, open } = countsOf(names);
  return `${counted(names.length, 'name')}: ${found} found, ${ambiguous} ambiguous, ${not_found} not in the registry, ${open} not searched yet.`;
}

const STATE_TEXT: Readonly<Record<Finding['is'], string>> = {
  found: 'found',
  ambiguous: 'ambiguous',
  not_found: 'not found',
  open: 'not searched yet',
};

function lineOf({ name, state, candidates }: WatchedName): string {
  const shown = candidates.map(({ entity_id, name: own, score }) => `${entity_id} ${own} (${score})`);
  return printable(`  ${name}: ${STATE_TEXT[state]}${shown.length === 0 ? '' : `: ${shown.join('; ')}`}`);
}
