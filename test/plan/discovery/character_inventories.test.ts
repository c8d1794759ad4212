import { expect, test } from 'vitest';
import { inventoryOf } from '../../../src/plan/discovery/seeds.ts';
import { discover } from '../../support/simulation/discover.ts';
import { PLAIN, Registry } from '../../support/simulation/registry.ts';

const NAMES = {
  japanese: '株式会社青空商店サクラ電機東京建設つばき食品有限山田工業水産北海道交通',
  chinese: '有限公司北京华东贸易发展实业集团广州电子科技上海国际投资深圳进出口浙江',
  taiwanese: '有限公司臺灣電腦實業國際貿易開發興業企業證券聯合營造機械廠鋼鐵灣華銀',
  korean: '주식회사한국전자서울건설대한무역상사부산해운현대중공업삼성물산신세계백화점',
};

test.each([
  ['japanese', 'さ', '鯨'],
  ['chinese', '龙', '鲸'],
  ['taiwanese', '龍', '鯨'],
  ['korean', '룡', '힘'],
] as const)("a few names in a script select that script's character inventory: %s", (language, ...common) => {
  const known = new Set(NAMES[language]);
  const inventory = inventoryOf((character) => known.has(character));
  expect(inventory).toEqual(expect.arrayContaining([...common]));
  expect(inventory.length).toBeGreaterThan(2_000);
});

test('scripts with few letters need no character inventory', () => {
  const known = new Set('acme holdings limited общество ακμή 株式会社');
  expect(inventoryOf((character) => known.has(character))).toEqual([]);
});

test('the planner finds names whose first character begins no known name', () => {
  const kanji = [...new TextDecoder('euc-jp').decode(Uint8Array.from(cells()))];
  const first = kanji.filter((_, at) => at % 9 === 0);
  const names = first.flatMap((character) =>
    ['商店', '工業', '電機'].map((trade) => `株式会社${character}${trade}`),
  );
  const companies = names.map((name, at) => ({ id: `${1000 + ((at * 7919) % names.length)}`, name }));
  const registry = new Registry(companies, { ...PLAIN, window: 40 });
  const { mirror } = discover(registry, { mostCalls: 10_000, enough: Number.POSITIVE_INFINITY });
  expect(mirror.knownCount()).toBe(companies.length);
});

/** Returns the first-level kanji as EUC-JP bytes. */
function cells(): number[] {
  const bytes: number[] = [];
  for (let row = 0xb0; row < 0xcf; row++) for (let cell = 0xa1; cell <= 0xfe; cell++) bytes.push(row, cell);
  return bytes;
}
