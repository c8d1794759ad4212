import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The format of `--cpu-prof`. */
interface Profile {
  readonly nodes: readonly Frame[];
  readonly samples: readonly number[];
  /** For each sample, how many microseconds have passed since the one before. */
  readonly timeDeltas: readonly number[];
}

interface Frame {
  readonly id: number;
  readonly callFrame: { readonly functionName: string; readonly url: string };
  readonly children?: readonly number[];
}

/**
 * Returns how the newest profile in a folder divides the main thread's time among parts of the program, in
 * microseconds, largest part first.
 */
export function partsOfLatestProfile(folder: string): [part: string, us: number][] {
  const latest = readdirSync(folder)
    .filter((file) => file.endsWith('.cpuprofile'))
    .sort()
    .at(-1);
  if (latest === undefined) throw new Error(`no profile in ${folder}`);
  return partsOf(JSON.parse(readFileSync(join(folder, latest), 'utf8')) as Profile);
}

function partsOf({ nodes, samples, timeDeltas }: Profile): [string, number][] {
  const frames = new Map(nodes.map((frame) => [frame.id, frame]));
  const callers = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id])));
  const partOfNode = new Map(nodes.map(({ id }) => [id, partOf(stackOf(id, frames, callers))]));
  const parts = new Map<string, number>();
  for (const [at, id] of samples.entries()) {
    const part = partOfNode.get(id) ?? 'the rest';
    parts.set(part, (parts.get(part) ?? 0) + (timeDeltas[at] ?? 0));
  }
  return [...parts].sort(([, a], [, b]) => b - a);
}

/** A sample's frames, innermost first. */
function stackOf(
  id: number,
  frames: ReadonlyMap<number, Frame>,
  callers: ReadonlyMap<number, number>,
): Frame['callFrame'][] {
  const stack: Frame['callFrame'][] = [];
  for (let at: number | undefined = id; at !== undefined; at = callers.get(at)) {
    const frame = frames.get(at);
    if (frame !== undefined) stack.push(frame.callFrame);
  }
  return stack;
}

function partOf(stack: readonly Frame['callFrame'][]): string {
  const { functionName = '' } = stack[0] ?? {};
  const ofEngine = OF_ENGINE.get(functionName);
  if (ofEngine !== undefined) return ofEngine;
  const places = stack.map(({ url }) => placeIn(url));
  const isUnder = (start: string) => places.some((place) => place.startsWith(start));
  if (!isUnder('src/mirror.ts') && !isUnder('src/fetch/') && isUnder('node:internal/modules/'))
    return 'start: loading modules';
  if (functionName === 'sqliteTransaction')
    return isUnder('src/allowance/') ? 'ledger' : 'load: begin and commit of transactions';
  const nearest = places.find((place) => place !== '' && !place.startsWith('node:') && place !== SQLITE);
  if (nearest === undefined) return HTTP;
  if (!nearest.startsWith('src/')) return places[0] !== nearest ? HTTP : isUnder('got') ? 'got' : 'the rest';
  if (nearest.startsWith('src/warehouse/'))
    return isUnder('src/load/') ? 'load: statements' : 'plan: look-ups';
  if (isUnder('src/load/')) return 'load: from responses to rows';
  if (nearest.startsWith('src/fetch/send') && places[0] !== nearest) return HTTP;
  return OF_FOLDER.get(nearest.split('/')[1] ?? '') ?? 'the rest';
}

/** Returns the part of the program to which a frame belongs, such as `src/load/load.ts`, `got` or `node:net`. */
function placeIn(url: string): string {
  const ofPackage = /\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1];
  return ofPackage ?? /\/(src\/.*)$/.exec(url)?.[1] ?? url;
}

const HTTP = 'HTTP client and sockets of Node';
const SQLITE = 'better-sqlite3';
const OF_ENGINE: ReadonlyMap<string, string> = new Map([
  ['(garbage collector)', 'garbage collection'],
  ['(idle)', 'waiting for answers'],
  ['(program)', 'the rest'],
]);
const OF_FOLDER: ReadonlyMap<string, string> = new Map([
  ['plan', 'plan'],
  ['allowance', 'ledger'],
  ['dialect', 'reading and classifying responses'],
  ['fetch', 'fetch'],
]);
