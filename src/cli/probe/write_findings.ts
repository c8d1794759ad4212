import { readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { parseConfig } from '../../config/load_config.ts';
import { withDialect, withQuestions } from '../../config/write_config.ts';
import type { Dialect } from '../../dialect/dialect.ts';
import { withOnly } from '../../dialect/url_template.ts';
import { UsageError } from '../../errors.ts';
import type { ProbeReport } from '../../operations/probe.ts';
import type { Beliefs } from '../../probe/beliefs.ts';
import { type DialectDraft, unfinishedDraft } from '../../probe/dialect_draft.ts';
import type { Question } from '../../probe/report.ts';
import type { statedUpstream } from './openapi_file.ts';

/** Writes the dialect or the open questions to the configuration. A crash leaves the old file unchanged. */
export function writeFindings(
  path: string,
  { draft, beliefs, questions }: ProbeReport,
  stated: ReturnType<typeof statedUpstream> | null,
): void {
  const text = readFileSync(path, 'utf8');
  const found =
    draft === null
      ? withOpenQuestions(text, beliefs, questions)
      : withDialect(text, {
          ...foundIn(draft, questions),
          ...(stated ?? { paths: pathsOf(beliefs, draft.dialect) }),
        });
  // Check the new text first, because an invalid result must not replace a valid configuration.
  parseConfig({ path, text: found });
  if (found === text) return;
  try {
    // Keep the file's mode, because the file may contain the key.
    writeFileSync(`${path}.new`, found, { mode: statSync(path).mode & 0o777 });
    renameSync(`${path}.new`, path);
  } catch (error) {
    throw new UsageError(`${path} cannot be written (${(error as NodeJS.ErrnoException).code})`, {
      hint: 'Make the file writable, and run probe again: no call is repeated.',
      cause: error,
    });
  }
}

function withOpenQuestions(text: string, beliefs: Beliefs, questions: readonly Question[]): string {
  const unfinished = unfinishedDraft(beliefs);
  return withQuestions(
    text,
    questions.map((question) => question.text),
    unfinished && { ...foundIn(unfinished, questions), paths: null },
  );
}

function foundIn(draft: DialectDraft, questions: readonly Question[]) {
  return { dialect: draft.dialect, remarks: remarksOf(draft, questions), open: draft.open };
}

function remarksOf({ notes }: DialectDraft, questions: readonly Question[]): Map<string, string> {
  const remarks = new Map([...notes].map(([key, { certainty, text }]) => [key, `${certainty}: ${text}`]));
  for (const { about, text } of questions)
    if (about === 'paging') remarks.set('search.paging', `question: ${text}`);
  return remarks;
}

/** Returns the endpoint paths that the probe found, or null if the configured or default paths work. */
function pathsOf({ addresses, standardJoin }: Beliefs, { search: { paging, ...search } }: Dialect) {
  const found = addresses.value;
  if (found === null) return null;
  const sent = [
    search.query_param,
    search.identifier_param,
    paging.size_param,
    'param' in paging && paging.param,
  ];
  const template = withOnly(found.search, (name) => sent.includes(name));
  if (found === standardJoin && template === found.search) return null;
  const { entity, stats, constants } = found;
  const fixed = new URLSearchParams(constants.map(([name, value]): [string, string] => [name, value]));
  return {
    search: [template, ...(fixed.size === 0 ? [] : [fixed])].join(template.includes('?') ? '&' : '?'),
    entity,
    stats,
  };
}
