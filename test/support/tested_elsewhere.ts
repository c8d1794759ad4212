import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

/** The names that tests cover, such as flags or configuration keys, by test file and test title. */
export type TestedElsewhere = Readonly<Record<string, Readonly<Record<string, string>>>>;

/**
 * Checks that each file has a test with the title, and contains the last part of each name (`job_calls` of
 * `worker.job_calls`). Returns the names.
 */
export function testedElsewhere(tests: TestedElsewhere): string[] {
  const references = Object.entries(tests).flatMap(([file, titles]) =>
    Object.entries(titles).map(([title, names]) => [names, file, title] as const),
  );
  test.each(references)('%s: %s has the test "%s"', (names, file, title) => {
    const text = readFileSync(join(import.meta.dirname, '..', file), 'utf8');
    expect(text).toContain(title);
    for (const name of names.split(/[ ;]+/)) expect(text).toContain(name.split('.').at(-1));
  });
  return references.map(([names]) => names);
}
