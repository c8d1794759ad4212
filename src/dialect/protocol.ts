import type { Call } from '../call.ts';
import { type Classify, openClassify } from './classify.ts';
import type { Dialect } from './dialect.ts';
import { type Endpoints, type UnwritableUrl, urlOf } from './request.ts';

/** Converts calls to URLs, and classifies replies, as the dialect specifies. While no dialect is known, the probe does so. */
export interface Protocol {
  urlOf(call: Call): URL | UnwritableUrl;
  readonly classify: Classify;
}

export function protocolOf(dialect: Dialect, endpoints: Endpoints): Protocol {
  return {
    urlOf: (call) => urlOf(endpoints, dialect, call),
    classify: openClassify(dialect, endpoints.entity),
  };
}
