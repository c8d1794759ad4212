import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { expect, test } from 'vitest';

const root = resolve(import.meta.dirname, '../..');
const pages = filesIn('README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md', 'docs').filter((path) =>
  path.endsWith('.md'),
);

test('every link in a document points to a file', () => {
  const links = pages.flatMap((page) =>
    [...textOf(page).matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g)].map(([, target = '']) => ({ page, target })),
  );
  const local = links.filter(({ target }) => !/^[a-z]+:/.test(target));
  expect(local.length).toBeGreaterThan(30);
  expect(local.filter(({ page, target }) => !existsSync(join(root, dirname(page), target)))).toEqual([]);
});

test('every link to a heading names a heading of its document', () => {
  const wrong = pages.flatMap((page) =>
    [...textOf(page).matchAll(/\]\(([^)#\s:]*)#([^)]+)\)/g)].flatMap(([, target = '', anchor = '']) => {
      const document = target === '' ? page : join(dirname(page), target);
      return headingsOf(document).includes(anchor) ? [] : [`${page}: ${target}#${anchor}`];
    }),
  );
  expect(wrong).toEqual([]);
});

test('every link in a packaged document points to a file in the package', () => {
  const { files } = JSON.parse(textOf('package.json'));
  const isPacked = (path: string) => [...files, 'LICENSE'].some((one) => `${path}/`.startsWith(`${one}/`));
  const packed = pages.filter(isPacked);
  const targets = packed.flatMap((page) =>
    [...textOf(page).matchAll(/(?:\]\(|src(?:set)?=")([^)#"\s]+)/g)]
      .filter(([, target = '']) => !/^[a-z]+:/.test(target))
      .map(([, target = '']) => join(dirname(page), target)),
  );
  expect(targets).toContain('docs/images/page-light.png');
  expect(targets.filter((target) => !isPacked(target))).toEqual([]);
});

test('every decision record that a file mentions exists', () => {
  const named = filesIn('README.md', 'CHANGELOG.md', 'docs', 'src', 'jobs', 'test').flatMap((file) =>
    [...textOf(file).matchAll(/docs\/decisions\/\d{4}[\w-]*\.md/g)].map(([path]) => ({ file, path })),
  );
  expect(named.length).toBeGreaterThan(3);
  expect(named.filter(({ path }) => !existsSync(join(root, path)))).toEqual([]);
});

test('the index of decisions lists every decision record', () => {
  const records = filesIn('docs/decisions').filter((path) => /\/\d{4}-/.test(path));
  const index = textOf('docs/decisions/README.md');
  expect(records.filter((path) => !index.includes(`(${path.replace('docs/decisions/', '')})`))).toEqual([]);
});

/** Returns the anchors of a document's headings, as GitHub writes them. */
function headingsOf(document: string): string[] {
  return [...textOf(document).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-'),
  );
}

function filesIn(...paths: string[]): string[] {
  return paths.flatMap((path) => {
    if (statSync(join(root, path)).isFile()) return [path];
    return readdirSync(join(root, path), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.(md|ts|js|sql)$/.test(name) && !name.includes('node_modules'))
      .map((name) => `${path}/${name}`);
  });
}

function textOf(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}
