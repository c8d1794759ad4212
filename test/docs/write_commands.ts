// npm run docs:commands
// Writes each command's help into docs/commands.md and the manual page.
import { readFileSync, writeFileSync } from 'node:fs';
import { COMMANDS_PAGE, withCommands } from './commands_page.ts';
import { MAN_PAGE, manPage } from './man_page.ts';

writeFileSync(COMMANDS_PAGE, await withCommands(readFileSync(COMMANDS_PAGE, 'utf8')));
writeFileSync(MAN_PAGE, await manPage());
