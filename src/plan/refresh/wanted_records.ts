import type { BackfillKnowledge, LoadResult } from '../../knowledge.ts';
import { isSettled } from '../../load_result.ts';
import { ONCE } from '../due.ts';
import type { Pending } from '../pending.ts';
import { Records } from './records.ts';

/** Proposes the calls for wanted records, in the order in which they were requested or found. */
export class WantedRecords extends Records {
  readonly #knowledge: BackfillKnowledge;
  /** The ids of the wanted records that have not been fetched yet. */
  readonly #queue: Set<string>;

  constructor(knowledge: BackfillKnowledge, pending: Pending) {
    const queue = new Set<string>();
    const recordsDue: BackfillKnowledge['recordsDue'] = ({ most, except }) => {
      const free = queue.values().filter((entityId) => !except.has(entityId));
      return [...free.take(most).map((entityId) => ({ entityId, why: 'wanted' as const }))];
    };
    super({ knowledge: { ...knowledge, recordsDue }, age: ONCE, pending });
    this.#knowledge = knowledge;
    this.#queue = queue;
  }

  /** Requests a record, unless it is recent enough. */
  want(entityId: string): void {
    if (this.#knowledge.isFresh(entityId)) return;
    this.#queue.add(entityId);
    this.lookAgain();
  }

  /** Returns whether the record is still to be fetched. */
  isWanted(entityId: string): boolean {
    return this.#queue.has(entityId);
  }

  override learn(result: LoadResult): void {
    super.learn(result);
    const { call, verdict } = result;
    if (call.kind === 'entity' && isSettled(verdict)) this.#queue.delete(call.entityId);
  }
}
