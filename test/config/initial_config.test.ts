import { describe, expect, it } from 'vitest';
import { configText, type InitAnswers } from '../../src/config/initial_config.ts';
import { parseConfig } from '../../src/config/load_config.ts';
import { NO_LIMITS } from '../support/no_limits.ts';

const ANSWERS: InitAnswers = {
  baseUrl: 'https://registry.example/api',
  keyVariable: 'REGISTRY_API_KEY',
  keyFile: null,
  dataFolder: 'data',
  sourceName: 'Register: "B" #1',
  tier: 'free',
  commercialUse: false,
  perMinute: 10,
  ...NO_LIMITS,
  perMonth: 500,
  unlimited: false,
  alreadySpent: 3,
  purpose: 'names',
  watchlist: null,
  schemaPath: '../docs/configuration.schema.json',
};

describe('the configuration that init writes', () => {
  it("the configuration that init writes is valid and contains the user's input", () => {
    const config = parse(ANSWERS);
    expect(config.source.name).toBe('Register: "B" #1');
    expect(config.account).toMatchObject({ tier: 'free', commercial_use: false, already_spent: 3 });
    expect(config.allowance).toMatchObject({ per_minute: 10, total: null, per_day: null, per_month: 500 });
    expect(config.focus).toBe('balanced');
    expect(config.dialect).toBeUndefined();
  });

  it('the configuration that init writes contains the paths of the key file and the data folder', () => {
    const text = configText({ ...ANSWERS, keyFile: '/run/secrets/key', dataFolder: '/data' });
    expect(text).toContain(`api_key: \${file:/run/secrets/key}`);
    expect(parse({ ...ANSWERS, dataFolder: '/data' })).toMatchObject({
      warehouse: '/data/warehouse.db',
      ledger: '/data/ledger.db',
    });
  });

  it.each([
    [
      { perMonth: null, total: 7 },
      { total: 7, per_month: null, unlimited: false },
    ],
    [
      { perMonth: null, total: 7, perDay: 2 },
      { total: 7, per_day: 2 },
    ],
    [
      { perMonth: null, unlimited: true },
      { unlimited: true, total: null, per_day: null },
    ],
  ])('the configuration that init writes contains the allowance: %j', (answers, allowance) => {
    expect(parse({ ...ANSWERS, ...answers }).allowance).toMatchObject(allowance);
  });

  it('the configuration that init writes states what the calls are for', () => {
    expect(parse({ ...ANSWERS, purpose: 'records' }).focus).toBe('records');
    expect(configText({ ...ANSWERS, purpose: 'watchlist', watchlist: 'a b.txt' })).toContain(
      'scope: { names: a b.txt }',
    );
  });

  it('init rejects a configuration without an allowance, or with commercial use of a free account', () => {
    expect(() => parse({ ...ANSWERS, perMonth: null })).toThrow(/no allowance is configured/);
    expect(() => parse({ ...ANSWERS, commercialUse: true })).toThrow(/does not permit commercial use/);
  });

  it('the configuration that init writes leads editors to the schema and contains no key', () => {
    const text = configText(ANSWERS);
    expect(text.split('\n')[0]).toBe('# yaml-language-server: $schema=../docs/configuration.schema.json');
    expect(text).toMatch(/api_key: \$\{env:REGISTRY_API_KEY\}/);
  });
});

function parse(answers: InitAnswers) {
  return parseConfig({
    path: '/home/config/c.yaml',
    text: configText(answers),
    env: { REGISTRY_API_KEY: 'k' },
  });
}
