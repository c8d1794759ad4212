// Synthetic companies for the stand-ins. No name is taken from a real register: distinctive words are built from
// syllables, and the other words (trades, towns, legal forms) are ordinary words of the language. Trades and legal forms
// are shared by many companies, so that searches for them are longer than a page.

/** The vocabulary of a country. Repeated entries are frequent. */
export interface Locale {
  readonly starts: readonly string[];
  readonly ends: readonly string[];
  readonly trades: readonly string[];
  readonly towns: readonly string[];
  readonly forms: readonly string[];
  /** Patterns with `{word}`, `{trade}`, `{town}` and `{form}`. */
  readonly patterns: readonly string[];
}

export interface Company {
  readonly index: number;
  readonly name: string;
  /** Former names, oldest first. Most companies have none. */
  readonly formerNames: readonly string[];
  readonly form: string;
  readonly town: string;
  readonly trade: string;
  /** Date of registration, such as 1998-04-02. */
  readonly date: string;
  readonly isActive: boolean;
}

export function synthesize(locale: Locale, count: number, seed: number): Company[] {
  const random = generator(seed);
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
  /** The first entries are the most frequent, as in real registers. */
  const pickSkewed = <T>(from: readonly T[]): T => from[Math.floor(random() ** 1.8 * from.length)] as T;
  const taken = new Set<string>();
  const word = () => `${pick(locale.starts)}${pick(locale.ends)}`;
  const nameOf = (form: string, town: string, trade: string) =>
    pick(locale.patterns)
      .replaceAll('{word}', word)
      .replaceAll('{trade}', trade)
      .replaceAll('{town}', town)
      .replaceAll('{form}', form)
      .trim();
  return Array.from({ length: count }, (_, index) => {
    const [form, town, trade] = [pick(locale.forms), pick(locale.towns), pickSkewed(locale.trades)];
    let name = nameOf(form, town, trade);
    for (let attempt = 0; taken.has(name); attempt++) {
      name = nameOf(form, town, attempt < 8 ? trade : `${trade} ${attempt}`);
    }
    taken.add(name);
    const formerNames = random() < 0.12 ? [nameOf(form, town, pick(locale.trades))] : [];
    const date = `${1950 + Math.floor(random() * 74)}-${pad(1 + random() * 12)}-${pad(1 + random() * 28)}`;
    return { index, name, formerNames, form, town, trade, date, isActive: random() < 0.93 };
  });
}

function pad(value: number): string {
  return String(Math.floor(value)).padStart(2, '0');
}

/** The mulberry32 generator: the same seed gives the same companies. */
function generator(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const words = (text: string) => text.split(' ');

export const ENGLISH: Locale = {
  starts: words('Ash Bram Cald Dun Elm Fern Gren Hart Ived Kel Lang Mar Nor Oak Pem Quin Rath Sel Thorn Wex'),
  ends: words(
    'bury croft dale field ford gate ham holm leigh low mere mont shaw side stead ton vale wick wood worth',
  ),
  trades: words(
    'Holdings Services Engineering Properties Consulting Foods Logistics Care Trading Group Homes Solutions',
  ),
  towns: words('Northport Eastbridge Millhaven Stonecross Kingsmoor Lakeside'),
  forms: ['LIMITED', 'LIMITED', 'LIMITED', 'LTD', 'PLC', 'LLP'],
  patterns: [
    '{word} {trade} {form}',
    '{word} & {word} {form}',
    '{town} {trade} {form}',
    'The {word} {trade} Company {form}',
    "{word}'s {trade} {form}",
  ],
};

export const AMERICAN: Locale = {
  ...ENGLISH,
  trades: words('Clinic Health Pharmacy Medical Dental Therapy Hospice Laboratory Wellness Foundation'),
  forms: ['LLC', 'LLC', 'INC', 'INC', 'PC', 'CORP', ''],
  patterns: [
    '{word} {trade} {form}',
    '{word} {word} {trade} {form}',
    '{town} {trade} {form}',
    '{word} AND {word} {form}',
  ],
};

export const NORWEGIAN: Locale = {
  starts: words(
    'Bjørk Fjell Gran Hav Is Lyng Måne Nord Ørn Rød Sjø Skog Stor Ulv Våg Ås Bekk Elv Furu Strand',
  ),
  ends: words(
    'dal heim lund mo nes sund vik øy stad bakken berget gård holmen haugen li myr tun åsen eng foss',
  ),
  trades: words('Eiendom Bygg Transport Regnskap Rør Elektro Fisk Handel Invest Konsult Maskin Data'),
  towns: words('Tromsvik Sandøya Fjordby Østnes Lillesund'),
  forms: ['AS', 'AS', 'AS', 'AS', 'ASA', 'DA', 'SA', ''],
  patterns: [
    '{word} {trade} {form}',
    '{town} {trade} {form}',
    '{word} og {word} {form}',
    '{word} Holding {form}',
  ],
};

export const FRENCH: Locale = {
  starts: words("Beau Clair Haute Mont Roche Val L'Éto Grand Fleur Port Saint Vert Bois Châte Dé Éme"),
  ends: words('bois champ court fleur lac lande mare mont nelle pré rive ron vallée val vent ville'),
  trades: [
    ...words(
      'Boulangerie Garage Transports Conseil Immobilier Menuiserie Électricité Gestion Négoce Plomberie',
    ),
    'Société civile immobilière',
  ],
  towns: words('Montfleury Clairvallon Rochebelle Valdorée Beaurivage'),
  forms: ['SARL', 'SARL', 'SAS', 'SAS', 'SASU', 'SCI', 'SA', ''],
  patterns: [
    '{trade} {word} {form}',
    '{word} {trade} {form}',
    '{trade} de {town} {form}',
    '{word} et {word} {form}',
  ],
};

export const DUTCH: Locale = {
  starts: words(
    'Berg Broek Duin Eik Grach Haven Ijssel Kerk Linde Meer Noord Oever Polder Rijn Schelp Veen Wilg Zand',
  ),
  ends: words(
    'dam dijk hoek hof horst huis laar land oord rust sloot stede veld vliet waard weg zicht zijde',
  ),
  trades: words('Bouw Beheer Holding Transport Installatie Horeca Makelaardij Advies Techniek Zorg Vastgoed'),
  towns: words('Noorddam Zandhoven Lindeveld Rijnwijk'),
  forms: ['B.V.', 'B.V.', 'B.V.', 'N.V.', 'V.O.F.', 'Stichting', ''],
  patterns: [
    '{word} {trade} {form}',
    '{trade} {word} {form}',
    '{word} & Zonen {form}',
    '{town} {trade} {form}',
  ],
};

export const SLOVAK: Locale = {
  starts: words('Bre Čer Dub Hra Jase Kame Lip Mod Niž Očo Pod Ružo Stra Šíp Tur Veľ Zlat Žit'),
  ends: words('ček dolina hora ina ka lesy mont nica nov ovce pole rec ská stav tín ván vod zor'),
  trades: words('Stav Transport Servis Reality Obchod Elektro Agro Projekt Invest Consulting'),
  towns: words('Kamenica Lipovec Žitava Dubnica'),
  forms: [', s.r.o.', ', s.r.o.', ', s.r.o.', ', a.s.', ' s. r. o.', ', družstvo', ''],
  patterns: ['{word} {trade}{form}', '{word}{form}', '{trade} {town}{form}', '{word} a {word}{form}'],
};

export const CROATIAN: Locale = {
  starts: words('Bije Crn Đur Gra Jadr Kle Lju Mra Oto Plav Ras Sla Šib Tro Vrb Zla Žup Čav'),
  ends: words('ac anka bor brod čica dar gora ija ković lin mar nica polje rat sko tin vac zina'),
  trades: words('Trgovina Gradnja Usluge Turizam Promet Invest Servis Projekt'),
  towns: words('Otočac Primorje Brodica Sunčani'),
  forms: ['d.o.o.', 'd.o.o.', 'd.o.o.', 'j.d.o.o.', 'd.d.'],
  patterns: [
    '{word} {trade} {form}',
    '{word} {form} za usluge',
    '{trade} {town} {form}',
    '{word} i {word} {form}',
  ],
};

export const JAPANESE: Locale = {
  starts: [...'青赤朝北南東西松竹梅桜山川海星月光新大小'],
  ends: [...'木田原島崎橋沢谷本村野浜瀬倉井峰森岡里泉'],
  trades: [
    '建設',
    '工業',
    '商事',
    '製作所',
    '運輸',
    '食品',
    '不動産',
    'システム',
    'サービス',
    '電機',
    '印刷',
  ],
  towns: ['北浜', '南原', '東沢', '西島'],
  forms: ['株式会社', '株式会社', '株式会社', '有限会社', '合同会社'],
  patterns: [
    '{form}{word}{trade}',
    '{word}{trade}{form}',
    '{form}{word}',
    '{town}{trade}{form}',
    '{word}{word}{form}',
  ],
};

export const CHINESE: Locale = {
  starts: [...'宏永順大台新華聯國德豐金美福正東南中信長'],
  ends: [...'泰安達昌興隆利盛源成光明和元通翔瑞億鑫佳'],
  trades: ['實業', '建設', '科技', '國際', '企業', '食品', '貿易', '工程', '電子', '投資', '物流'],
  towns: ['北港', '東山', '南灣'],
  forms: ['有限公司', '有限公司', '股份有限公司', '股份有限公司'],
  patterns: ['{word}{trade}{form}', '{word}{word}{trade}{form}', '{town}{trade}{form}', '{word}{form}'],
};

export const KOREAN: Locale = {
  starts: words('가온 나래 다솜 라온 마루 바른 새한 아름 자연 한빛 동해 서울 남양 북성 대신 신우 우진 태성'),
  ends: words('산업 테크 건설 물산 개발 통상 정보 화학 전자 식품 상사 기계'),
  trades: words('주택 유통 환경 에너지 시스템 디자인 엔지니어링'),
  towns: words('강동 해운 송림'),
  forms: ['주식회사 ', '주식회사 ', '(주)', '유한회사 '],
  patterns: [
    '{form}{word}',
    '{form}{word}{trade}',
    '{word} {trade}',
    '{form}{town}{trade}',
    '{form}{word} {word}',
  ],
};

/** Universities, hospitals and institutes of several countries. */
export const INSTITUTIONS: Locale = {
  starts: words('Al Bor Cas Del Est Flor Gal Hel Ist Jön Kör Lis Mün Nov Ost Pra Rio São Tal Upp Vil Zür'),
  ends: words('ana berg burg city dal etta ford grad ia inki land mar mouth no polis stad ton ville wald'),
  trades: words('Health Technology Science Medicine Agriculture Education Physics'),
  towns: words('Northern Southern Central Coastal'),
  forms: ['University', 'University', 'Institute', 'Hospital', 'College', 'Centre', 'Foundation'],
  patterns: [
    '{form} of {word}',
    '{word} {form}',
    '{word} {form} of {trade}',
    '{town} {word} {form}',
    'National {form} of {trade} {word}',
  ],
};
