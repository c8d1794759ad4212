import { join } from 'node:path';
import { say } from '../../support/script.ts';
import { median } from '../figures.ts';
import { timeOf } from './measure.ts';
import { newMirror, outcomesOf } from './mirror.ts';
import { HANDMADE, MIRRORED, makeByHand, QUESTIONS } from './queries.ts';

const GROUP = 200;

/**
 * Measures the queries on the mirror and on hand-made tables. Each figure is the median of five alternating rounds on
 * one open connection.
 */
export function runQueries(folder: string, companies: number): void {
  say(`\nFive queries over ${companies} companies, compared with a hand-made table with the same indexes`);
  const { warehouse, load } = newMirror(join(folder, 'questions.db'));
  const { db } = warehouse;
  for (let from = 0; from < companies; from += GROUP) load(outcomesOf(from, from + GROUP, 0, from + 1));
  makeByHand(db, join(folder, 'hand.db'));
  db.exec('ANALYZE');
  for (const { question, sql } of QUESTIONS) {
    const times = { mirrored: [] as number[], byHand: [] as number[] };
    for (let turn = 0; turn < 6; turn++) {
      times.mirrored.push(timeOf(() => db.prepare(sql(MIRRORED)).all()));
      times.byHand.push(timeOf(() => db.prepare(sql(HANDMADE)).all()));
    }
    const mirrored = median(times.mirrored.slice(1));
    const byHand = median(times.byHand.slice(1));
    say(
      `  ${question.padEnd(40)} ${mirrored.toFixed(2).padStart(9)} ms, by hand ${byHand.toFixed(2).padStart(9)} ms: ${(mirrored / byHand).toFixed(2)} (target: at most 1.5)`,
    );
  }
  warehouse.close();
}
