import { type Json, stringifyJson } from '../dialect/json.ts';
import { type Answer, jsonAnswer } from './answer.ts';
import type { Catalogue } from './catalogue.ts';
import type { Shape } from './shape/shape.ts';
import { placedAt } from './shape/template.ts';

/** The statistics and the coverage, with the count where the shape puts it. */
export function statsAnswer(catalogue: Catalogue, { stats }: Shape): Answer {
  let body: Json = catalogue.stats();
  for (const [at, value] of Object.entries(stats.fixed)) body = placedAt(body, at, value);
  if (stats.total !== null) body = placedAt(body, stats.total, catalogue.count());
  return jsonAnswer(stringifyJson(body));
}
