// npm run docs:commands
// Writes the help of every command into docs/commands.md.
import { readFileSync, writeFileSync } from 'node:fs';
import { COMMANDS_PAGE, withCommands } from './commands_page.ts';

writeFileSync(COMMANDS_PAGE, await withCommands(readFileSync(COMMANDS_PAGE, 'utf8')));
