import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Environment } from '../config/process_environment.ts';

/** Rewrites the commands in a text to match how the user starts the program, for example in a checkout or with npx. */
export function withWorkingCommands(text: string, env: Environment): string {
  return text.replace(COMMAND, () => prefixOf(env));
}

/** Like `withWorkingCommands`, but also replaces `docs/NAME.md` with that file's path in the package. */
export function withWorkingLinks(text: string, env: Environment): string {
  return withWorkingCommands(text, env).replace(DOCUMENT, (_, name: string) => documentPath(name));
}

/** Returns the path of a file in the package's `docs` folder. */
export function documentPath(name: string): string {
  // The first path is correct from src/cli, the second from dist/src/cli in a built package.
  const paths = ['../../docs/', '../../../docs/'].map((folder) =>
    fileURLToPath(new URL(folder + name, import.meta.url)),
  );
  return paths.find((path) => existsSync(path)) ?? `docs/${name}`;
}

/** Returns the command that starts this program. npm and npx set these variables for the programs that they start. */
function prefixOf(env: Environment): string {
  const { npm_lifecycle_event, npm_lifecycle_script = '', npm_package_name, npm_config_package } = env;
  const isScript = npm_lifecycle_event === 'registry-mirror' || npm_lifecycle_event === 'demo';
  if (isScript && npm_package_name === 'registry-mirror') return 'npm run -s registry-mirror --';
  if (npm_lifecycle_event === 'npx' && /^['"]?registry-mirror\b/.test(npm_lifecycle_script))
    return `npx ${npm_config_package ? `--package ${npm_config_package} ` : ''}registry-mirror`;
  return 'registry-mirror';
}

const COMMAND = /(?<![\w./-])registry-mirror(?= (?:--help|COMMAND|[a-z]))/g;
const DOCUMENT = /\bdocs\/(\w+\.md)\b/g;
