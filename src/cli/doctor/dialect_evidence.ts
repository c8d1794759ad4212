import type { Config } from '../../config/config.ts';
import { checkStored } from '../../operations/dialect_check.ts';
import { latestAnswers } from '../../warehouse/latest_answers.ts';
import { readWarehouse } from './files.ts';
import { type Finding, warning } from './finding.ts';

/** Reports keys of the dialect that the last stored responses contradict. */
export function checkDialectEvidence(
  config: Pick<Config, 'warehouse' | 'dialect'>,
  nowMs: number,
): Finding[] {
  const { dialect } = config;
  if (dialect === undefined) return [];
  const checked = readWarehouse(config, nowMs, ({ db }) =>
    checkStored(dialect, latestAnswers(db, RESPONSES)),
  );
  return (checked?.contradictions ?? [])
    .filter(({ why }) => why.startsWith('dialect.'))
    .map(({ why }) =>
      warning('dialect', why, 'Correct the dialect, then run `registry-mirror probe --check`.'),
    );
}

const RESPONSES = 50;
