import type { RegistrySettings, Semantics } from '../../support/simulation/registry.ts';

/** One table row's query rule, cap and page size. */
export interface Row {
  readonly semantics: Semantics;
  readonly window: number | null;
  readonly pageSize: number;
  /** Whether the registry's names use a script with thousands of characters. */
  readonly largeAlphabet?: boolean;
}

export const ROWS: readonly Row[] = [
  { semantics: 'prefix', window: null, pageSize: 100 },
  { semantics: 'prefix', window: 1000, pageSize: 100 },
  { semantics: 'prefix', window: 1000, pageSize: 20 },
  { semantics: 'prefix', window: 100, pageSize: 20 },
  { semantics: 'prefix', window: 100, pageSize: 100 },
  { semantics: 'token_prefix', window: null, pageSize: 20 },
  { semantics: 'token_prefix', window: 1000, pageSize: 20 },
  { semantics: 'token_prefix', window: 1000, pageSize: 100 },
  { semantics: 'token_prefix', window: 100, pageSize: 20 },
  { semantics: 'token', window: null, pageSize: 20 },
  { semantics: 'prefix', window: 1000, pageSize: 20, largeAlphabet: true },
];

export function settingsOf({ semantics, window, pageSize }: Row): RegistrySettings {
  return {
    semantics,
    window,
    pageSize,
    identifiers: 'none',
    order: 'given',
    totals: 'exact',
    refusesAbove: null,
    minLength: 1,
  };
}

const NAMES: Readonly<Record<Semantics, string>> = {
  prefix: 'name prefix',
  token: 'whole word',
  token_prefix: 'word prefix',
  substring: 'substring',
};

export function titleOf({ semantics, window, pageSize, largeAlphabet }: Row): string {
  const script = largeAlphabet === true ? ', large alphabet' : '';
  return `${NAMES[semantics]}${script} | ${window ?? 'none'} | ${pageSize}`;
}
