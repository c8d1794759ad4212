import type { Database } from 'better-sqlite3';
import type { Mapping } from '../../dialect/mapping.ts';
import { emptyCompanyColumns } from '../../warehouse/company_views.ts';
import { isMappingOutdated } from '../../warehouse/settled_mapping.ts';
import { type CheckResult, note, warning } from './check_result.ts';

/** Reports a mapping that `reprocess` has not applied, and columns of the view `company` that are NULL in all rows. */
export function checkMapping(db: Database, mapping: Mapping): CheckResult[] {
  if (isMappingOutdated(db, mapping))
    return [
      warning('mapping', 'the tables still have an earlier mapping', 'Run `registry-mirror reprocess`.'),
    ];
  const empty = emptyCompanyColumns(db);
  const unknown = empty.filter((column) => mapping.company[column] === null);
  return [
    ...empty.flatMap((column) => {
      const path = mapping.company[column];
      const what = `no response contains ${path}, which is \`mapping.company.${column}\``;
      return path === null ? [] : [warning('mapping', what, PATHS)];
    }),
    ...(unknown.length === 0 ? [] : [note('mapping', `${WITHOUT_FIELD} ${unknown.join(', ')}`, PATHS)]),
  ];
}

const WITHOUT_FIELD = 'no field was found for these columns of the view `company`:';
const PATHS =
  'If a field has this meaning, set its path under `mapping.company`, then run `registry-mirror reprocess`. The table `column_overview` has the paths.';
