import { type Answer, jsonAnswer } from './answer.ts';
import type { Catalogue } from './catalogue.ts';
import type { Problem } from './problems.ts';
import type { Shape } from './shape/shape.ts';
import { compileTemplate } from './shape/template.ts';

/** Answers for one company, in the words of a shape. */
export interface RecordAnswerer {
  answer(id: string, ifNoneMatch: string | undefined): Answer | Problem;
}

export function recordAnswerer(catalogue: Catalogue, shape: Shape): RecordAnswerer {
  const body = compileTemplate<'record'>([
    ...Object.entries(shape.record.fixed).map(([at, value]) => ({ at, value })),
    { at: shape.record.root, hole: 'record' },
  ]);

  return {
    answer(id, ifNoneMatch) {
      const record = catalogue.record(id);
      if (record === null) return { code: 'entity_not_found' };
      if (record.gone && shape.gone.as === 'not_found') return { code: 'entity_not_found' };
      if (record.gone && shape.gone.as === 'gone') return { code: 'entity_gone' };
      const headers = { ...record.headers, ...(record.etag === undefined ? {} : { etag: record.etag }) };
      if (record.etag !== undefined && isMatch(record.etag, ifNoneMatch))
        return { status: 304, headers, body: '' };
      return jsonAnswer(body.fill({ record: record.text }), headers);
    },
  };
}

/** RFC 9110, 13.1.2: weak comparison. */
function isMatch(etag: string, ifNoneMatch: string | undefined): boolean {
  if (ifNoneMatch === undefined) return false;
  const tags = ifNoneMatch.split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  return tags.includes('*') || tags.includes(etag.replace(/^W\//, ''));
}
