import type { Call } from '../call.ts';
import { type Classify, openClassify } from './classify.ts';
import type { Dialect } from './dialect.ts';
import { type Endpoints, type UnwritableUrl, urlOf } from './request.ts';

/** How calls are written and replies are read: by a dialect, or, while there is none, by a probe. */
export interface Language {
  urlOf(call: Call): URL | UnwritableUrl;
  readonly classify: Classify;
}

export function languageOf(dialect: Dialect, endpoints: Endpoints): Language {
  return { urlOf: (call) => urlOf(endpoints, dialect, call), classify: openClassify(dialect) };
}
