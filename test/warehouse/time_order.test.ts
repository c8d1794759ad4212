import Sqlite from 'better-sqlite3';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isoTime } from '../../src/clock.ts';
import { firstIdSince } from '../../src/warehouse/call_counts.ts';

const TIMES = { table: 'event', id: 'id', time: 'at' };

test('the first id since a time is found among ids with gaps', () => {
  const gaps = fc.array(fc.tuple(fc.integer({ min: 1, max: 1e12 }), fc.nat({ max: 3 })), { maxLength: 20 });
  fc.assert(
    fc.property(gaps, fc.nat({ max: 60 }), (steps, sinceMs) => {
      const db = new Sqlite(':memory:');
      db.exec('CREATE TABLE event (id INTEGER PRIMARY KEY, at TEXT)');
      const insert = db.prepare('INSERT INTO event VALUES (?, ?)');
      let [id, atMs] = [0, 0];
      for (const [idGap, timeGap] of steps) {
        id += idGap;
        atMs += timeGap;
        insert.run(id, isoTime(atMs));
      }
      const first = firstIdSince(db, TIMES, sinceMs);
      const found = db.prepare('SELECT id FROM event WHERE id >= ? ORDER BY id').pluck().all(first);
      expect(found).toEqual(
        db.prepare('SELECT id FROM event WHERE at >= ? ORDER BY id').pluck().all(isoTime(sinceMs)),
      );
      db.close();
    }),
  );
});
