import { Pending } from '../../../src/plan/pending.ts';
import type { Finding } from '../../../src/plan/wanted/name_findings.ts';
import { NameHunt } from '../../../src/plan/wanted/name_hunt.ts';
import type { MemoryMirror } from '../../support/simulation/memory_knowledge.ts';
import type { Registry } from '../../support/simulation/registry.ts';
import type { WantedName } from './wanted_names.ts';

export interface HuntResult {
  readonly calls: number;
  readonly right: number;
  readonly wrong: number;
  /**
   * How many names the user must decide, depending on whether the wanted company is the first candidate, a later one or
   * none.
   */
  readonly undecidedFirst: number;
  readonly undecidedAmong: number;
  readonly undecidedWithout: number;
  readonly notFound: number;
  readonly open: number;
}

/** Searches for the names in a registry in memory, one call at a time. The real planner chooses the calls. */
export function hunt(
  registry: Registry,
  wanted: readonly WantedName[],
  options: {
    readonly isSemanticsKnown: boolean;
    readonly known: MemoryMirror;
    readonly isTotalKnown: boolean;
  },
): HuntResult {
  const { semantics, minLength, pageSize, window } = registry.settings;
  const mirror = options.known;
  const pending = new Pending([]);
  const names = new NameHunt(
    wanted.map(({ text }) => text),
    {
      semantics: options.isSemanticsKnown ? semantics : null,
      minLength,
      pageSize,
      window: window ?? Number.POSITIVE_INFINITY,
    },
    pending,
  );
  for (const { entityId, name } of mirror.knownCompanies()) names.see(entityId, name ?? '');
  names.start();
  if (options.isTotalKnown) names.setRegistryTotal(registry.size);
  let calls = 0;
  for (;;) {
    const [call] = names.next(0, 1);
    if (call === undefined) break;
    calls++;
    const result = mirror.loadSearch(call, registry.search(call.query, call.page.index), 0);
    pending.landed(call);
    for (const row of result.rows) if (row.isNew) names.see(row.entityId, row.name ?? '');
    if (result.verdict === 'refused') names.giveUp(call.query.text);
    else if (result.query !== null)
      names.learn(
        result.query,
        result.rows.map((row) => row.name ?? ''),
      );
  }
  return { calls, ...judged(wanted, (at) => names.finding(at)) };
}

function judged(wanted: readonly WantedName[], finding: (at: number) => Finding): Omit<HuntResult, 'calls'> {
  const counts = {
    right: 0,
    wrong: 0,
    undecidedFirst: 0,
    undecidedAmong: 0,
    undecidedWithout: 0,
    notFound: 0,
    open: 0,
  };
  wanted.forEach(({ meantId }, at) => {
    counts[judge(finding(at), meantId)]++;
  });
  return counts;
}

function judge(found: Finding, meantId: string): Exclude<keyof HuntResult, 'calls'> {
  if (found.is === 'open') return 'open';
  if (found.is === 'not_found') return 'notFound';
  if (found.is === 'found') return found.company.entityId === meantId ? 'right' : 'wrong';
  const place = found.candidates.findIndex(({ entityId }) => entityId === meantId);
  return place === 0 ? 'undecidedFirst' : place > 0 ? 'undecidedAmong' : 'undecidedWithout';
}
