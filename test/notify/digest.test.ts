import fc from 'fast-check';
import { expect, test } from 'vitest';
import { EVENTS } from '../../src/config/receiver.ts';
import { digestFor } from '../../src/notify/digest.ts';
import type { ChangedField } from '../../src/warehouse/deliveries.ts';

const IDS = ['C1', 'C2', 'C3'];
const PATHS = ['/a', '/a/b', '/ab', '_gone_at', '_replaced_by'];
const ended = { healthy: false, ended: 'failed', why: 'the disk is full' };

const change = fc.record({
  entityId: fc.constantFrom(...IDS),
  path: fc.oneof(fc.constantFrom(...PATHS), fc.constant('_gone_at')),
  before: fc.constantFrom('old', null),
  after: fc.constantFrom('new', 7, null),
});
const some = <T>(all: readonly T[]) => fc.subarray([...all]);

test('a digest has the wanted events of the watched companies, as they are after the last change', () => {
  fc.assert(
    fc.property(
      fc.array(change, { maxLength: 12 }),
      ...([some(IDS), some(EVENTS), fc.option(some(IDS)), fc.option(some(PATHS))] as const),
      (changes, added, events, watched, fields) => {
        const named = changes.map(
          (one, at): ChangedField => ({ ...one, name: `Name of ${one.entityId}`, observedAt: `T${at}` }),
        );
        const isWatched = (id: string) => watched === null || watched.includes(id);
        const ofWatched = named.filter(({ entityId }) => isWatched(entityId));
        const isWanted = ({ path }: ChangedField) =>
          path !== '_gone_at' && (fields === null || fields.some((one) => `${path}/`.startsWith(`${one}/`)));
        const changed = events.includes('changed') ? ofWatched.filter(isWanted) : [];
        const gone = IDS.flatMap((id) => {
          const last = ofWatched.findLast((one) => one.entityId === id && one.path === '_gone_at');
          return events.includes('gone') && last?.after != null ? [[id, String(last.after)]] : [];
        });
        const fresh = events.includes('new') ? added.filter(isWatched) : [];
        const digest = digestFor({ events, fields }, watched === null ? null : new Set(watched), {
          companies: added.map((entityId) => ({ entityId, name: null })),
          fields: named,
          health: ended,
        });
        const isEmpty = fresh.length + changed.length + gone.length === 0 && !events.includes('health');
        if (isEmpty) {
          expect(digest).toBeNull();
          return;
        }
        expect(digest?.new).toEqual(fresh.map((entity_id) => ({ entity_id, name: null })));
        expect(digest?.gone.map(({ entity_id, gone_at }) => [entity_id, gone_at]).sort()).toEqual(gone);
        const shown = digest?.changed.flatMap(({ entity_id, name, fields: own }) =>
          own.map(({ observed_at: observedAt, ...field }) => ({
            entityId: entity_id,
            name,
            observedAt,
            ...field,
          })),
        );
        const byTime = (a: ChangedField, b: ChangedField) =>
          Number(a.observedAt.slice(1)) - Number(b.observedAt.slice(1));
        expect(shown?.sort(byTime)).toEqual(changed);
        expect(digest?.counts).toEqual({
          new: fresh.length,
          changed: new Set(changed.map(({ entityId }) => entityId)).size,
          gone: gone.length,
        });
        expect(digest?.health).toEqual(events.includes('health') ? ended : null);
      },
    ),
    { numRuns: 1_000 },
  );
});
