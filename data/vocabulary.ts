/**
 * The words that invented companies are made of, by country. Earlier words of a list are drawn more often
 * (Zipf), so a list's order is part of the data.
 *
 * A pattern's parts: `{sur}` surname, `{brand}` coined word, `{place}`, `{trade}`, `{adj}`, `{letters}`
 * initials, `{number}`, `{form}` legal form. Everything else stands as it is.
 */
export interface Country {
  readonly code: string;
  /** Share among all companies, in parts of the sum of all weights. */
  readonly weight: number;
  readonly currency: string;
  readonly brands: BrandStyle;
  readonly patterns: readonly string[];
  readonly surnames: readonly string[];
  readonly given: readonly string[];
  readonly places: readonly string[];
  readonly streets: readonly string[];
  readonly trades: readonly string[];
  readonly adjectives: readonly string[];
  readonly forms: readonly LegalForm[];
  /** `9` is a digit, `A` a letter, anything else itself. */
  readonly postcode: string;
}

export interface LegalForm {
  readonly code: string;
  readonly written: string;
}

export interface BrandStyle {
  readonly starts: readonly string[];
  readonly middles: readonly string[];
  readonly ends: readonly string[];
}

const words = (text: string): string[] => text.trim().split(/\s+/);
const lines = (text: string): string[] =>
  text
    .trim()
    .split('\n')
    .map((line) => line.trim());
const forms = (text: string): LegalForm[] =>
  lines(text).map((line) => {
    const [code = '', written = ''] = line.split('=');
    return { code, written };
  });

const LATIN_BRANDS: BrandStyle = {
  starts: words(
    'No Al Ver Mar Sol Cor Nor Val Ar El Tri Pro Lu Bel Cas Dor Fen Gal Hal In Kal Lin Mon Nex Or Pal Quan Ros Sil Tal Um Vi Wes Xen Yor Zen Bri Cly Dra Eo',
  ),
  middles: words('va ri to na mi le do ra si ne ta vo li co da me lo tra ve no ma ti'),
  ends: words(
    'x ra tis via nor dex lia tek mark stone field ton wick ora ium ex ant is on a o um ix ar en us eon',
  ),
};

const NORDIC_BRANDS: BrandStyle = {
  starts: words('Nord Fjell Sjø Ø Vår Hav Skog Lys Fjord Myr Å Berg Ås Dal Elv Sol Bjørk Vind Hø Kyst'),
  middles: words('en e a er ar o ve li te'),
  ends: words('vik strøm gård heim lund ness bygg dal øy sund tind mark vang stad'),
};

export const COUNTRIES: readonly Country[] = [
  {
    code: 'GB',
    weight: 40,
    currency: 'GBP',
    brands: LATIN_BRANDS,
    patterns: lines(`
      {brand} {trade} {form}
      {sur} {trade} {form}
      {brand} {form}
      {place} {trade} {form}
      {sur} & {sur} {form}
      {adj} {trade} {form}
      {brand} Holdings {form}
      {sur} & Sons {trade} {form}
      {adj} {place} {trade} {form}
      {brand} Properties {form}
      {sur}'s {trade}
      {sur} and {sur} {trade} {form}
      The {adj} {trade} Company {form}
      {letters} {trade} {form}
      {brand} {adj} {trade} {form}
      {brand} ({place}) {form}
      {number} {place} Road Management {form}
      {sur}, {sur} & Partners {form}
      The "{brand}" {trade} {form}
      {sur}’s of {place} {form}
      {letters} {form}
      {number} {form}
      Friends of {place} {trade}
      O'{sur} {trade} {form}
      {place} & District {trade} Society {form}
    `),
    surnames: words(`
      Smith Jones Taylor Brown Williams Wilson Johnson Davies Patel Robinson Wright Thompson Evans Walker White Roberts
      Green Hall Wood Jackson Clarke Khan Harris Lewis Cooper Turner Hill Moore Ward Morris Kelly Quayle Corlett Kermode
      Cain Kneale Faragher Cannell Teare Callow Watterson Kewley Cowley Gell Skillicorn Quirk Brew Radcliffe Crellin
      Costain Mylchreest Kinrade Corkill Gawne Moughtin Lace Caine Cregeen Bell Baxter Fenwick Ashdown Penhaligon
      Tregenza Llewellyn Gwyther Prothero MacLeod McAllister MacGillivray Ó’Dálaigh Featherstonehaugh Cholmondeley
      Brontë Zachary Whitlock Yardley Underhill Thwaite Rowntree Pemberton Oakeshott Nethercott Musgrave Lovelace
    `),
    given: words(
      'Oliver Amelia George Isla Harry Ava Noah Emily Jack Sophia Zoë Siân Niamh Seán Chloë Ewan Fiona',
    ),
    places: words(`
      Northgate Castleford Ashby Douglas Ramsey Westbrook Millbrook Kingsmere Harrowdale Penrose Thornbury Eastleigh
      Marsham Oakhurst Stonebridge Whitcombe Larkfield Brackenwell Fernhill Greystoke Holmbury Inverlael Dunmore
      Llanfair Trevone Cwmbach Ballacraine Glenfinnart Ardnamore Sulby Laxwell Foxdale Onchan
    `),
    streets: words('High Church Victoria Mill Station Queen King Park Chapel Market Bridge Athol Circular'),
    trades: lines(`
      Services
      Properties
      Investments
      Consulting
      Construction
      Engineering
      Trading
      Developments
      Management
      Solutions
      Group
      Estates
      Transport
      Design
      Foods
      Electrical
      Plumbing & Heating
      Motors
      Marine
      Aviation
      Shipping
      Leasing
      Insurance Brokers
      Bakery
      Haulage
      Joinery
      Landscapes
      Photography
      Yachting
      Nominees
      Trustees
      Quarries
      Taxis
      Upholstery
      Veterinary Practice
      Beekeeping Supplies
    `),
    adjectives: words(
      'Premier Global First United Island Royal New Grand Green Blue Golden Silver Swift Noble Old',
    ),
    forms: forms(`
      ltd=Limited
      ltd=Ltd
      ltd=LIMITED
      ltd=Ltd.
      plc=PLC
      llp=LLP
      lp=LP
      inc=Inc.
      cic=C.I.C.
      foundation=Foundation
    `),
    postcode: 'AA9 9AA',
  },
  {
    code: 'NO',
    weight: 10,
    currency: 'NOK',
    brands: NORDIC_BRANDS,
    patterns: lines(`
      {brand} {trade} {form}
      {sur} {trade} {form}
      {brand} {form}
      {place} {trade} {form}
      {sur} & Sønn {form}
      {brand} Eiendom {form}
      {sur} og {sur} {form}
      Borettslaget {brand}
      {place} Båtforening
      {brand}-{brand} {trade} {form}
      «{brand}» {trade} {form}
    `),
    surnames: words(`
      Hansen Johansen Olsen Larsen Andersen Pedersen Nilsen Kristiansen Jensen Karlsen Bjørnstad Øverby Åsheim Sørlie
      Grønli Løken Strøm Bråten Dahl Haugen Lien Myhre Østby Tønnessen Ødegård Ålesen Fløtre Kjærstad Njåstad
    `),
    given: words('Jakob Nora Emil Ingrid Åse Øyvind Bjørn Kåre Sigrid Torbjørn Ragnhild Sølvi Håkon'),
    places: words(
      'Stordal Nesvik Åsgård Sørvik Tromdal Lillevik Østvang Bergnes Hamarøy Vågsund Kråkvåg Ørnes',
    ),
    streets: words('Storgata Kirkeveien Skolegata Strandgata Fjordveien Åsveien Industriveien Møllergata'),
    trades: words(
      'Invest Bygg Eiendom Transport Consulting Regnskap Elektro Maskin Rør Sjømat Holding Drift Frisør Arkitektur Skog Fisk',
    ),
    adjectives: words('Nye Første Norsk Store Gamle'),
    forms: forms(`
      as=AS
      asa=ASA
      enk=ENK
      sa=SA
      ans=ANS
      da=DA
    `),
    postcode: '9999',
  },
  {
    code: 'FR',
    weight: 9,
    currency: 'EUR',
    brands: LATIN_BRANDS,
    patterns: lines(`
      {form} {brand}
      {brand} {trade} {form}
      {form} {sur}
      Société {adj} de {trade}
      Établissements {sur} et Fils
      L'Atelier de {given}
      {trade} {place}
      {form} Le {adj} {place}
      Boulangerie {sur}
      Association «{brand}»
      Entreprise d'Économie {adj} {place}
      {sur}, {sur} & Associés {form}
    `),
    surnames: words(`
      Martin Bernard Dubois Thomas Robert Richard Petit Durand Leroy Moreau Lefèvre Mercier Guérin François Gautier
      Bécourt Chéreau Noël Hébrard Châtelain D'Aubigné L'Héritier Maçon Beauséjour Çelik Guyot Crépin Desprès Œuvrard
    `),
    given: words('Louis Emma Gabriel Chloé Raphaël Zoé Léo Inès Noémie Jérôme Hélène Maëlle François'),
    places: words(
      'Montclair Valmorin Beaulieu Rochefeuille Châtelneuf Argentière Épinoy Courbessac Saint-Aubray Grandpré',
    ),
    streets: lines(`
      rue de la République
      avenue des Tilleuls
      boulevard Émile-Roux
      place de l'Église
      chemin des Prés
    `),
    trades: words(
      'Conseil Immobilier Transports Bâtiment Restauration Électricité Énergie Vins Coiffure Menuiserie Édition',
    ),
    adjectives: words('Nouvelle Générale Française Régionale Moderne Centrale Méditerranéenne'),
    forms: forms(`
      sarl=SARL
      sas=SAS
      sa=S.A.
      sci=SCI
      eurl=EURL
      snc=SNC
    `),
    postcode: '99999',
  },
  {
    code: 'DE',
    weight: 9,
    currency: 'EUR',
    brands: LATIN_BRANDS,
    patterns: lines(`
      {brand} {trade} {form}
      {sur} {trade} {form}
      {brand} {form}
      Gebrüder {sur} {form}
      {sur} & Söhne {form}
      {sur} & Co. KG
      {place}er {trade} {form}
      {brand} Verwaltungs-{form}
      Förderverein {place} e.V.
      {letters} {trade} {form} & Co. KG
    `),
    surnames: words(`
      Müller Schmidt Schneider Fischer Weber Meyer Wagner Becker Schulz Hoffmann Schäfer Koch Bauer Richter Größler
      Krüger Böhm Jäger Weiß Hübner Löffler Strauß Öztürk Yıldız Grünwald Kästner Fröhlich Ähnlich Überschär
    `),
    given: words('Jürgen Björn Käthe Lukas Sören Ömer Anja Götz Heike Jörg'),
    places: words(
      'Neustadt Altenberg Grünheim Weißenau Mühlbach Königsried Düsterfeld Osterode Überlauf Höchsten',
    ),
    streets: words('Hauptstraße Bahnhofstraße Gartenweg Lindenallee Schloßplatz Mühlgasse Römerweg'),
    trades: words(
      'Bau Handels Technik Immobilien Logistik Maschinenbau Elektro Vermögensverwaltungs Beteiligungs Bäckerei Gebäudetechnik',
    ),
    adjectives: words('Neue Erste Deutsche Große Allgemeine'),
    forms: forms(`
      gmbh=GmbH
      ug=UG (haftungsbeschränkt)
      ag=AG
      gbr=GbR
      eg=eG
    `),
    postcode: '99999',
  },
  {
    code: 'PL',
    weight: 6,
    currency: 'PLN',
    brands: LATIN_BRANDS,
    patterns: lines(`
      {brand} {form}
      {trade} {brand} {form}
      Przedsiębiorstwo {trade} "{brand}" {form}
      {sur} {trade} {form}
      Spółdzielnia {adj} {place}
      F.H.U. „{brand}” {given} {sur}
    `),
    surnames: words(
      'Nowak Kowalski Wiśniewski Wójcik Kamiński Lewandowski Zieliński Dąbrowski Łukasik Żak Ćwikła Śliwa',
    ),
    given: words('Łukasz Małgorzata Paweł Agnieszka Michał Żaneta'),
    places: words('Łąkowo Brzezina Świerkowo Źródłowo Chełmno Ostrów Żabieniec Miłosław'),
    streets: lines(`
      ul. Kościuszki
      ul. Długa
      al. Niepodległości
      ul. Źródlana
    `),
    trades: words('Budownictwo Usługi Handel Transport Doradztwo Zakład Księgowość Żegluga'),
    adjectives: words('Nowa Wielka Mieszkaniowa Rolnicza Śląska'),
    forms: forms(`
      spzoo=Sp. z o.o.
      sa=S.A.
      spk=Sp. k.
      spj=Sp. j.
    `),
    postcode: '99-999',
  },
  {
    code: 'TR',
    weight: 3,
    currency: 'TRY',
    brands: LATIN_BRANDS,
    patterns: lines(`
      {brand} {trade} {form}
      {sur} {trade} {form}
      {sur}oğulları {trade} {form}
      İ. {sur} ve Oğlu {form}
    `),
    surnames: words('Yılmaz Kaya Demir Şahin Çelik Yıldırım Öztürk Aydın Özdemir Işık Güneş Ünlü İnan'),
    given: words('İbrahim Ayşe Şule Ömer Gökçe Irmak'),
    places: words('Yeşilova Gümüşdere İncirköy Çamlıbel Şirinevler Ilıca'),
    streets: words('Atatürk İstiklal Cumhuriyet Çiçek Ihlamur'),
    trades: words('İnşaat Gıda Tekstil Otomotiv Turizm Danışmanlık Isıtma'),
    adjectives: words('Yeni Büyük Öz'),
    forms: forms(`
      as=A.Ş.
      ltd=Ltd. Şti.
    `),
    postcode: '99999',
  },
  {
    code: 'GR',
    weight: 6,
    currency: 'EUR',
    brands: {
      starts: words('Αλ Μεσ Νο Ηλι Ερμ Κρο Θαλ Πελ Αιγ Ολ Δελ Ωρ Φιλ Χρυσ'),
      middles: words('φα ο τα ι λα ρι νο'),
      ends: words('ς ον ίς άς ιος ική πόλις τέχ δομή'),
    },
    patterns: lines(`
      {brand} {trade} {form}
      Αφοί {sur} {form}
      {sur} {trade} {form}
      {sur} & Υιοί {form}
      {adj} {trade} {place} {form}
      Καφέ «{brand}»
    `),
    surnames: words(
      'Παπαδόπουλος Βλάχος Αγγελόπουλος Νικολάου Γεωργίου Οικονόμου Μακρής Χατζής Ιωάννου Ξένος Ψαρράς',
    ),
    given: words('Γιώργος Μαρία Δημήτρης Ελένη Άννα Ίρις'),
    places: words('Αγία-Μαρίνα Νέα-Χώρα Παλαιόκαστρο Καλλιθέα Ακρωτήρι Λεμονιά'),
    streets: words('Ερμού Αθηνάς Ελευθερίας Ποσειδώνος Ομήρου'),
    trades: words('Μεταφορική Κατασκευαστική Εμπορική Τουριστική Ναυτιλιακή Γεωργική Εκδόσεις Φαρμακευτική'),
    adjectives: words('Νέα Γενική Ελληνική Μεσογειακή'),
    forms: forms(`
      ae=Α.Ε.
      epe=Ε.Π.Ε.
      ike=Ι.Κ.Ε.
      oe=Ο.Ε.
    `),
    postcode: '999 99',
  },
  {
    code: 'BG',
    weight: 8,
    currency: 'EUR',
    brands: {
      starts: words('Бал Све Род Мар Слън Див Зор Виа Кам Пла Юг Тех Рос Ели Жел Щаст'),
      middles: words('ка то ри на ви ло е'),
      ends: words('н строй инвест комерс лайн мет тех продукт ия ов ърт йон'),
    },
    patterns: lines(`
      „{brand}“ {form}
      {brand} {trade} {form}
      {sur} и синове {form}
      {sur} {trade} {form}
      {form} "{brand}"
      ЕТ „{brand} – {given} {sur}“
      {place}-{trade} {form}
    `),
    surnames: words(
      'Иванов Георгиев Димитров Петров Николов Христов Стоянов Тодоров Йорданов Цветков Щерев Ягодов Чолаков',
    ),
    given: words('Иван Мария Георги Елена Цветан Юлия Йордан'),
    places: words('Долище Горнабаня Белица Златарево Рилци Черноморка Щърково'),
    streets: lines(`
      ул. Шипка
      бул. Витоша
      ул. Цар Симеон
      ул. Роза
    `),
    trades: words('Строй Транспорт Консулт Трейд Имоти Агро Мебел Инженеринг Логистика Печат'),
    adjectives: words('Нова Първа Българска Голяма'),
    forms: forms(`
      eood=ЕООД
      ood=ООД
      ad=АД
      ead=ЕАД
      kd=КД
    `),
    postcode: '9999',
  },
  {
    code: 'JP',
    weight: 6,
    currency: 'JPY',
    brands: {
      starts: words('あお みど 東 北 日 大 新 サン フジ ミナ アル ネオ 光 桜 海 山 クリ'),
      middles: words('ー ン 和 栄 ラ ト 洋 ク'),
      ends: words('ス ン 興業 電機 製作所 物産 リー ックス 堂 屋 テック'),
    },
    patterns: lines(`
      株式会社{brand}
      {brand}株式会社
      株式会社　{sur}{trade}
      {place}{trade}株式会社
      有限会社{sur}{trade}
      合同会社{brand}
      一般社団法人{place}{trade}協会
      ＮＰＯ法人{brand}・{place}
    `),
    surnames: words('佐藤 鈴木 高橋 田中 伊藤 渡辺 山本 中村 小林 加藤 吉田 山田 斎藤 髙﨑 辻'),
    given: words('太郎 花子 翔太 さくら 健一 結衣'),
    places: words('東浜 北沢 緑ヶ丘 中央台 海老原 桜木 大崎野 新町'),
    streets: words('一丁目 二丁目 三丁目 本町通り 駅前'),
    trades: words('商事 工業 建設 不動産 運輸 食品 電気 水産 印刷 サービス システム デザイン 農園'),
    adjectives: words('新 大 第一'),
    forms: forms(`
      kk=株式会社
      gk=合同会社
      yk=有限会社
    `),
    postcode: '999-9999',
  },
  {
    code: 'AE',
    weight: 3,
    currency: 'AED',
    brands: {
      starts: words('ال نور فج سما بد رم زه'),
      middles: words('ا ي و ر'),
      ends: words('ن ة س د ار'),
    },
    patterns: lines(`
      شركة {brand} {trade} {form}
      مؤسسة {sur} {trade}
      {brand} {trade} {form}
      شركة {sur} وأولاده {form}
      مجموعة {place} {trade}
    `),
    surnames: words('الحسن العلي الخالد المنصور السعيد الهاشم النجار القاسم الزهراني'),
    given: words('محمد فاطمة أحمد مريم خالد ليلى'),
    places: words('الواحة المرجان النخيل الميناء الربيع'),
    streets: words('الكورنيش النصر الوحدة الزيتون'),
    trades: words('للتجارة للمقاولات للاستثمار للنقل للسياحة للاستشارات العقارية'),
    adjectives: words('الجديدة الكبرى الأولى'),
    forms: forms(`
      llc=ذ.م.م
      psc=ش.م.ع
    `),
    postcode: '99999',
  },
];
