/** A group of characters that names begin with. */
export interface CharacterGroup {
  readonly name: string;
  /** The characters' script; null if they occur in names in any script. */
  readonly script: Script | null;
  /** The group's characters, most frequent first. */
  readonly characters: readonly string[];
  /** Returns the prior weight that the name model gives the character at this position. */
  weight(position: number): number;
}

export type Script = keyof typeof LETTERS;

/**
 * The known scripts. Scripts that occur together in names, such as kanji and kana, form one entry.
 */
const LETTERS = {
  latin: /\p{Script=Latin}/u,
  greek: /\p{Script=Greek}/u,
  cyrillic: /\p{Script=Cyrillic}/u,
  hebrew: /\p{Script=Hebrew}/u,
  arabic: /\p{Script=Arabic}/u,
  cjk: /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u,
  hangul: /\p{Script=Hangul}/u,
} as const;

const OTHER_SCRIPT = { weight: () => 0.002 } as const;
/**
 * The properties of groups in scripts with thousands of characters. They list the first characters of surnames, places
 * and trades, which are sent only if known names use the script.
 */
const SCRIPT_OF_THOUSANDS = { weight: () => 0 } as const;

export const LATIN_LETTERS: CharacterGroup = {
  ...{ name: 'Latin letters', script: 'latin' },
  characters: [...'acsmbpetdgrhilnfwkjovuzyxq'],
  weight: (position) => 1 / (1 + position / 8),
};
export const DIGITS: CharacterGroup = {
  ...{ name: 'digits', script: null },
  characters: [...'1234567890'],
  weight: (position) => 0.15 / (1 + position / 4),
};
/**
 * `&` comes first, because most registries have a name with `&`. The response therefore shows whether the upstream
 * searches punctuation.
 */
export const ASCII_PUNCTUATION: CharacterGroup = {
  ...{ name: 'ASCII punctuation', script: null },
  characters: [...'&\'"(#@+.-!*$/[:?%=,~_<;>)\\]^{|}`'],
  weight: (position) => 0.004 / (1 + position),
};

export const CHARACTER_GROUPS: readonly CharacterGroup[] = [
  LATIN_LETTERS,
  DIGITS,
  ASCII_PUNCTUATION,
  {
    ...{ name: 'kanji and kana', ...OTHER_SCRIPT, script: 'cjk' },
    characters: [...'株有合東大日三中新一アスエサコ山北西フトマ'],
  },
  { ...{ name: 'hanzi', ...OTHER_SCRIPT, script: 'cjk' }, characters: [...'上深广北江浙杭南天成华'] },
  { ...{ name: 'hangul', ...OTHER_SCRIPT, script: 'hangul' }, characters: [...'주한에삼대'] },
  {
    ...{ name: 'Cyrillic letters', ...OTHER_SCRIPT, script: 'cyrillic' },
    characters: [...'соапткмвнргиэюбдлфцзеу'],
  },
  { ...{ name: 'Greek letters', ...OTHER_SCRIPT, script: 'greek' }, characters: [...'ακπμσετδγν'] },
  { ...{ name: 'Hebrew letters', ...OTHER_SCRIPT, script: 'hebrew' }, characters: [...'שאמ'] },
  { ...{ name: 'Arabic letters', ...OTHER_SCRIPT, script: 'arabic' }, characters: [...'شمأا'] },
  {
    ...{ name: 'further kanji and kana', ...SCRIPT_OF_THOUSANDS, script: 'cjk' },
    characters: [
      ...'シジニオクタリテハウビバダホデパベプグイヒナミユセラロヤモネソツルレボゴガキケブワノメチヨゲペ京阪神奈川横浜名古屋札幌仙台広島福岡千葉埼玉静長野潟富石金沢井岐阜愛知重滋賀都兵庫和歌',
      ...'鳥取根口徳香媛高佐崎熊分宮鹿児沖縄青森岩手秋田形茨城栃木群馬海道鈴渡伊小加吉林斎清池橋阿前藤後近遠村坂太菅武原内上杉谷水堀黒今河安久白片荒菊早市桑関浅柴笠辻寺戸冨仲永成二萩畑平星牧',
      ...'増真丸南向室望元盛八柳矢米若全国際共同協第明光士昭令正旭栄邦亜極月天空地双五六七九十百万四銀鉄宝寿鶴亀松竹梅桜花緑朝春夏友信仁誠理美豊泉泰創総未世英独仏豪印韓住商農漁建設工業電機気',
      ...'通運輸航証券保険投資産不動医薬品化学繊維食刷出教育研究開発技環境生活社会財団法人校組あいうえおかきくけこさしすせそたちつてとなにぬねのはひふへほまみむめもやゆよらりるれろわ',
      ...'澤齋齊邊邉濱廣國嶋櫻眞惠靜瀨條榮實壽龍與圓會學藝禮髙﨑㈱㈲',
    ],
  },
  {
    ...{ name: 'further hanzi', ...SCRIPT_OF_THOUSANDS, script: 'cjk' },
    characters: [
      ...'中国京海津重庆东西苏宁湖河山川安福建贵云四辽吉黑内新陕甘青大金银鑫盛恒瑞嘉佳百万信德永泰和合众联人民鸿宏富源利通达友康宝龙兴隆正明光星地长春美丰顺台臺華東國聯豐興龍廣寶萬',
    ],
  },
  {
    ...{ name: 'further hangul', ...SCRIPT_OF_THOUSANDS, script: 'hangul' },
    characters: [
      ...'동서남북부신현우유영성세제조중태하화효금경고광국기두디라롯마미바보비사산상선스시아안애엘오인일자전정지진케코크타테토티파포피',
    ],
  },
  {
    ...{ name: 'Latin letters with diacritics', script: 'latin' },
    characters: [...'øåäöéüčšžłıç'],
    weight: () => 0.002,
  },
  {
    ...{ name: 'rarer Latin letters with diacritics', script: 'latin' },
    characters: [...'áàèóñæêíúâōāēīūśżőğş'],
    weight: () => 0.0005,
  },
  {
    ...{ name: 'typographic punctuation', script: null },
    characters: [...'“„‘’«–'],
    weight: () => 0.0005,
  },
];

/** Words that names in other scripts often begin with. Their beginnings show whether the registry uses the script. */
export const SCRIPT_WORDS: readonly string[] = `
  株式会社 有限会社 上海 北京 日本 東京 주식회사 한국 대한 ооо строй общество транс ελληνικη αφοι παπα שירותי אלקטרו חברת
  شركة مؤسسة المجموعة
`
  .trim()
  .split(/\s+/u);

/** Legal forms in other scripts, which names contain but do not begin with. */
export const SCRIPT_LEGAL_FORMS: readonly string[] = `
  оод еад тов доо зао ε.π.ε α.ε ο.ε ι.κ.ε ذ.م.م בע"מ 法人 合同会社
`
  .trim()
  .split(/\s+/u);

/**
 * Returns the script of the text's first character, or null if the character is not a letter or its script is not in
 * `LETTERS`.
 */
export function scriptOf(text: string): Script | null {
  const [first = ''] = text;
  return SCRIPTS.find((script) => LETTERS[script].test(first)) ?? null;
}

const SCRIPTS = Object.keys(LETTERS) as Script[];

/**
 * Returns whether the text is a single character other than a letter, diacritic, digit or space. Such a character can
 * begin a name, but not a word.
 */
export function isPunctuation(text: string): boolean {
  return PUNCTUATION.test(text);
}

const PUNCTUATION = /^[^\p{L}\p{M}\p{N}\s]$/u;
