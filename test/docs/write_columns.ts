// npm run docs:columns
// Writes the published tables and columns into docs/analysts.md.
import { readFileSync, writeFileSync } from 'node:fs';
import { COLUMNS_PAGE, withColumns } from './columns_page.ts';

writeFileSync(COLUMNS_PAGE, withColumns(readFileSync(COLUMNS_PAGE, 'utf8')));
