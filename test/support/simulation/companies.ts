import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { parse } from 'csv-parse/sync';
import { seededRandom } from '../../../src/random.ts';
import { type Company, foldedName } from './registry.ts';

/** Reads a CSV file with the columns `id` and `name`, and returns one company for each id, with its current name. */
export function readCompanies(path: string): Company[] {
  const rows: Record<string, string>[] = parse(readFileSync(path, 'utf8'), { columns: true, bom: true });
  const byId = new Map<string, Company>();
  for (const { id, name, name_status: status } of rows) {
    if (id === undefined || name === undefined || (status !== undefined && status !== 'Current')) continue;
    if (!byId.has(id)) byId.set(id, { id, name });
  }
  return [...byId.values()];
}

/**
 * The half of the companies that is used only for measurements. A hash of each name selects this half, so it never
 * changes.
 */
export function heldOut(companies: readonly Company[]): Company[] {
  return companies.filter(({ name }) => {
    const [byte = 0] = createHash('sha256').update(foldedName(name)).digest();
    return byte % 2 === 1;
  });
}

export function shuffle<T>(items: readonly T[], seed: number): T[] {
  const random = seededRandom(seed).next;
  const shuffled = [...items];
  for (let at = shuffled.length - 1; at > 0; at--) {
    const other = Math.floor(random() * (at + 1));
    [shuffled[at], shuffled[other]] = [shuffled[other] as T, shuffled[at] as T];
  }
  return shuffled;
}
