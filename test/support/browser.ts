import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join, resolve } from 'node:path';
import { type Browser, chromium } from 'playwright-core';

const PACKAGES = resolve(import.meta.dirname, '../../node_modules');
const PACKED = join(PACKAGES, '@sparticuz/chromium');

/**
 * A Chromium, with nothing to install by hand: on Linux x64 the one that comes in a development dependency,
 * elsewhere one that is found on the machine.
 */
export async function openBrowser(): Promise<Browser> {
  if (process.platform === 'linux' && process.arch === 'x64') return openPacked(await unpacked());
  const found = installed();
  if (found === null) throw new Error('No Chromium was found: install one, and have it in the PATH.');
  return chromium.launch({ executablePath: found });
}

/** Runs with the libraries and the font that come with it, because a server has neither. */
function openPacked(folder: string): Promise<Browser> {
  return chromium.launch({
    executablePath: join(folder, 'chromium'),
    // Containers run as root, for whom Chromium has no sandbox; it sees pages of this machine alone.
    args: ['--no-sandbox', '--no-zygote', '--disable-gpu', '--font-render-hinting=none'],
    env: {
      ...process.env,
      HOME: folder,
      FONTCONFIG_FILE: join(folder, 'fonts.conf'),
      LD_LIBRARY_PATH: join(folder, 'al2023', 'lib'),
    },
  });
}

/** The packed Chromium is unpacked once for an installation, and put in its place whole. */
async function unpacked(): Promise<string> {
  const manifest = readFileSync(join(PACKED, 'package.json'), 'utf8');
  const { version } = JSON.parse(manifest) as { version: string };
  const folder = join(PACKAGES, '.cache', `chromium-${version}`);
  if (existsSync(folder)) return folder;
  mkdirSync(dirname(folder), { recursive: true });
  const beside = mkdtempSync(`${folder}-`);
  await inflateInto(beside);
  writeFileSync(join(beside, 'fonts.conf'), fontsConfiguration(folder));
  try {
    renameSync(beside, folder);
  } catch (error) {
    // Another process was first.
    rmSync(beside, { recursive: true });
    if (!existsSync(folder)) throw error;
  }
  return folder;
}

/** The package unpacks into the system's folder for temporary files, wherever that is. */
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
  const places = [
    ...folders.flatMap((folder) => names.map((name) => join(folder, name))),
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
    '/Applications/Chromium.app/Contents/MacOS/Chromium',
  ];
  return places.find((place) => existsSync(place)) ?? null;
}
