import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join, resolve } from 'node:path';
import { type Browser, chromium } from 'playwright-core';

const PACKAGES = resolve(import.meta.dirname, '../../node_modules');
const PACKED = join(PACKAGES, '@sparticuz/chromium');

/**
 * Opens Chromium. On Linux x64, a development dependency contains the browser. On other platforms, the user must
 * install it.
 */
export async function openBrowser(): Promise<Browser> {
  if (process.platform === 'linux' && process.arch === 'x64') return openPacked(await unpacked());
  const found = installed();
  if (found === null) throw new Error('Chromium not found: install it and add it to PATH.');
  return chromium.launch({ executablePath: found });
}

/** Uses the package's own libraries and fonts, because a server may have none. */
function openPacked(folder: string): Promise<Browser> {
  return chromium.launch({
    executablePath: join(folder, 'chromium'),
    // Chromium's sandbox is off, because it does not work for root, the usual user in containers. This is safe, because
    // the tests open only pages that this machine serves.
    args: ['--no-sandbox', '--no-zygote', '--disable-gpu', '--font-render-hinting=none'],
    env: {
      ...process.env,
      HOME: folder,
      FONTCONFIG_FILE: join(folder, 'fonts.conf'),
      LD_LIBRARY_PATH: join(folder, 'al2023', 'lib'),
    },
  });
}

/** Unpacks Chromium once per installation. The folder gets its final name once it is complete. */
async function unpacked(): Promise<string> {
  const manifest = readFileSync(join(PACKED, 'package.json'), 'utf8');
  const { version } = JSON.parse(manifest) as { version: string };
  const folder = join(PACKAGES, '.cache', `chromium-${version}`);
  if (existsSync(folder)) return folder;
  mkdirSync(dirname(folder), { recursive: true });
  const temporary = mkdtempSync(`${folder}-`);
  await inflateInto(temporary);
  writeFileSync(join(temporary, 'fonts.conf'), fontsConfiguration(folder));
  try {
    renameSync(temporary, folder);
  } catch (error) {
    // Another process has already unpacked Chromium.
    rmSync(temporary, { recursive: true });
    if (!existsSync(folder)) throw error;
  }
  return folder;
}

/** Points TMPDIR at the folder, because the package unpacks into the temporary folder. */
async function inflateInto(folder: string): Promise<void> {
  const { inflate } = await import('@sparticuz/chromium');
  const before = process.env.TMPDIR;
  process.env.TMPDIR = folder;
  try {
    const archives = ['chromium.br', 'al2023.tar.br', 'fonts.tar.br'];
    await Promise.all(archives.map((name) => inflate(join(PACKED, 'bin', name))));
  } finally {
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
  }
}

function fontsConfiguration(folder: string): string {
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig><dir>${folder}/fonts</dir><dir>/usr/share/fonts</dir><cachedir>${folder}/fonts-cache</cachedir></fontconfig>
`;
}

function installed(): string | null {
  const folders = (process.env.PATH ?? '').split(delimiter);
  const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
  const paths = [
    ...folders.flatMap((folder) => names.map((name) => join(folder, name))),
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
    '/Applications/Chromium.app/Contents/MacOS/Chromium',
  ];
  return paths.find((path) => existsSync(path)) ?? null;
}
