import type { SearchQuery } from '../../call.ts';
import type { Knowledge } from '../../knowledge.ts';
import type { Semantics } from '../../names/query_matching.ts';
import type { KeySpace } from './key_space.ts';
import { TextKeySpace } from './text_key_space.ts';
import { WordKeySpace } from './word_key_space.ts';

/** Opens the key space for queries by name or by identifier. Identifiers are searched by prefix. */
export function openKeySpace(
  by: SearchQuery['by'],
  semantics: Semantics,
  minLength: number,
  knowledge: Knowledge,
): KeySpace {
  if (by === 'identifier' || semantics === 'prefix') return TextKeySpace.byPrefix(by, minLength, knowledge);
  if (semantics === 'substring') return TextKeySpace.bySubstring(minLength, knowledge);
  return new WordKeySpace(semantics, minLength, knowledge);
}
