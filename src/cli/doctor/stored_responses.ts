import type { Dialect } from '../../dialect/dialect.ts';
import { proposeVolatile } from '../../load/volatile_proposals.ts';
import { checkStored } from '../../operations/dialect_check.ts';
import { percent } from '../../report/figures.ts';
import { USUAL_UNNAMED } from '../../report/problems.ts';
import { countUnnamed } from '../../warehouse/known.ts';
import { latestAnswers } from '../../warehouse/latest_answers.ts';
import type { Warehouse } from '../../warehouse/warehouse.ts';
import { type Finding, note, warning } from './finding.ts';

/**
 * Reports keys of the dialect that the last stored responses contradict, many companies without a name, and fields that
 * differ in nearly every response and are not in `dialect.volatile`.
 */
export function checkStoredResponses(warehouse: Warehouse, dialect: Dialect): Finding[] {
  return [
    ...checkStored(dialect, latestAnswers(warehouse.db, RESPONSES))
      .contradictions.filter(({ why }) => why.startsWith('dialect.'))
      .map(({ why }) =>
        warning('dialect', why, 'Correct the dialect, then run `registry-mirror probe --check`.'),
      ),
    ...(dialect.search.name === null ? [] : checkNames(countUnnamed(warehouse.db))),
    ...proposeVolatile(warehouse, dialect).map(({ pointer, refreshes, share }) =>
      note(
        'volatile field',
        `${pointer} differed in ${percent(share)} of ${refreshes} refreshes, so each of them counts as a change`,
        'If the field shows only when the response was made, add it to `dialect.volatile`, then run `registry-mirror reprocess`.',
      ),
    ),
  ];
}

/** The other names are often at other paths. */
function checkNames({ companies, unnamed }: ReturnType<typeof countUnnamed>): Finding[] {
  if (unnamed <= companies * USUAL_UNNAMED) return [];
  const what = `${unnamed} of ${companies} companies have no name`;
  const remedy =
    'If their names are at other paths, set `dialect.search.name_fallbacks` and `dialect.entity.name_fallbacks`, then run `registry-mirror reprocess`.';
  return [warning('names', what, remedy)];
}

const RESPONSES = 50;
