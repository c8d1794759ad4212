import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Returns the path of the package's `docs` folder, or of a file in it. */
export function documentPath(name = ''): string {
  // The first path is correct from src/cli, the second from dist/src/cli in a built package.
  const paths = ['../../docs/', '../../../docs/'].map((folder) =>
    fileURLToPath(new URL(folder + name, import.meta.url)),
  );
  return paths.find((path) => existsSync(path)) ?? `docs/${name}`;
}
