import { NameModel } from './name_model.ts';
import { characterSeeds } from './query_seeds.ts';

/**
 * Words in Latin letters that company names begin with in many languages: trades, surnames, places, and syllables in
 * coined words. They train the name model before any name is known. A word in this list is not automatically sent as a
 * query. For other scripts, `first_characters.ts` lists the first characters.
 */
const COMMON_WORDS: readonly string[] = `
  academy accounting acorn active advance advisory agency agri air alliance allied alpha alpine american anchor angel
  apex apollo apple aqua arch arrow art asset associates atlantic atlas aurora auto avenue avalon axis baker bank bay
  beacon bear beauty bell best beta big bio bird black blue board body bond book boutique bridge bright british broad
  brother build building business butler cafe cake capital car care carpenter cascade castle catering cedar central
  centre century champion channel charles charity chemical chicken children choice church city civil classic clean
  clear click clinic cloud club coach coast coffee college colour commercial community computer concept concrete
  connect construction consult contract cool copper core corner corporate cottage country court craft creative crest
  cross crown crystal custom cyber dairy dance data day deal delta dental design development diamond digital direct
  discovery dragon dream drive dynamic eagle earth east easy eco edge education electric element elite emerald empire
  energy engineering english enterprise environment equity essential estate euro event evolution excel executive
  express extreme eye fabric fair faith family farm fashion fast feather field film finance fine fire fit flash fleet
  flex floor flow flower focus food force forest fort forward fox frame free freight fresh friend front fuel fund
  furniture fusion future galaxy gallery game garage garden gas gate gem general genesis giant glass global gold golf
  good grand graphic great green grid ground group grow growth guard guide hair hall happy harbour harmony haven hawk
  health heart heat heritage high hill home honey hope horizon horse hospital host hotel house human hydro ice icon
  idea image impact imperial independent index industrial infinity info innovation inspire insurance integrated
  intelligent inter international invest iron island ivy jet jewel job joint journey jump junction just key kids
  kinetic king kitchen knight lab lake land laser law leader leaf learning legal leisure liberty life light line link
  lion liquid live local lock logic logistics london long lotus love lucky luxury machine magic magnet mail main
  management maple marine mark market master matrix media medical mega mercury meridian metal metro micro middle mill
  mind mini mint mobile modern modular momentum moon mortgage mother motion motor mountain move multi music mutual
  national natural nature net network new next night nine noble north nova number nursery oak ocean office oil olive
  omega one online open optical optimum orange orbit orchard organic orient original outdoor oxford pacific packaging
  palace palm paper paradise park parts partner path peak pearl people perfect performance pet phoenix photo physio
  pine pioneer pipe pixel place plan planet plant plastic platinum play plumbing plus point polar port positive power
  precision premier prestige prime princess print private pro product professional project promo property protect
  prospect pub pulse pure quality quantum quest quick radio rail rain rainbow raven real recruitment red regal regent
  regional reliable renewable rental rescue research resource restaurant retail rich ridge right ring river road robin
  rock roof rose rover royal safe saint salon sand sapphire save scan school science scottish screen sea search second
  secure select senior sense serenity service seven shadow sharp shell shield shine ship shop short sigma signal silk
  silver simple sky smart smile snow social soft software solar solid solution sonic soul sound source south space
  spark special spectrum speed spice spirit sport spring square stable staff stage star start state station steel step
  sterling stock stone storage store storm street strategic strong studio style summer summit sun super supply support
  sure surf swan sweet swift synergy system table target tax taxi team tech tele temple tennis term tiger tile timber
  time titan top total touch tower town toy track trade tradition trail train trans travel tree tri trinity triple
  true trust turbo twin ultimate ultra union unique united unity universal university urban valley value vector
  vehicle venture verde vertex victoria view village vintage virtual vision vista vital vivid voice wall warehouse
  waste watch water wave way wealth web wedding welcome well west western wheel white wild willow wind window wine
  wing winter wise wolf women wonder wood work world xpress yacht yellow yoga york young youth zero zone

  adams alexander allen anderson andrews armstrong arnold atkinson bailey ball barker barnes bennett berry bradley
  brooks bryant burns burton butcher cameron campbell carr carter chapman clark cohen coleman collins cook cox
  crawford davidson davis dawson dixon douglas duncan edwards elliott ellis ferguson fisher fletcher ford foster
  francis fraser gardner gibson gilbert gordon graham grant gray griffin hamilton harper harrison hart harvey
  henderson henry holmes howard hudson hughes hunt hunter jenkins jensen john jordan joseph kennedy kerr knox lawrence
  lee lloyd lucas lynch macdonald marshall martin mason matthews mccarthy mcdonald miller mills mitchell morgan
  morrison murphy murray nelson newman nichols oconnor oliver osborne owen palmer parker parsons pearce perkins peter
  peterson phillips pierce porter powell price quinn ray reid reynolds rhodes richards riley rogers ross russell ryan
  sanders saunders scott shaw simpson spencer stephens stevens stewart stuart sullivan thomas tucker vincent wallace
  warren watson webb wells wheeler wilkinson willis woods aberdeen bath belfast birmingham bristol cambridge cardiff
  chelsea cornwall devon dublin durham edinburgh essex glasgow hampshire kent lancaster leeds lincoln liverpool
  manchester midland norfolk nottingham richmond salisbury sheffield stafford surrey sussex wales warwick wessex
  windsor worcester yorkshire boston california chicago florida houston texas

  autohaus bau bauer baum becker beratung berg berlin betrieb boden braun bremen brunner bund bürger claus deutsche
  dienst dienstleistungen dr druck einkauf elektro energie erste fahrzeug familie feld fischer förder frank franke
  freunde friedrich fritz fuchs fuhr für garten gaststätte gebäude gebrüder gemeinde gerhard gesellschaft gesundheit
  glas grund günther haas hamburg handel handwerk hans hartmann haus heimat heinrich heizung hermann hessen hoch
  hoffmann holz horst huber industrie ingenieur institut jung kaiser karl kaufmann keller klaus klein klinik koch
  köhler köln könig kraft kranken kranz krause kreis krüger kunst landwirtschaft lang lange lehmann leipzig lorenz
  ludwig maier malermeister maschinenbau meier meyer michael möbel müller münchen nahrung naturstein neu neumann nord
  ober oster pflege post praxis rechtsanwalt reise richter roth sachsen schäfer schlosserei schmid schmidt schmitz
  schneider scholz schreiner schröder schubert schulz schwarz schweizer seidel siedlung simon sparkasse stadt stahl
  stein steuer stiftung straße süd technik tiefbau tischlerei transport umwelt unter verein verkehr verlag vermietung
  versicherung verwaltungs vogel volks wagner weber weiss werbe werk werner winkler wirtschaft wohn wohnung zahnarzt
  zentral zimmer zimmermann zürich

  agence alpes ambulance amis amicale aménagement architecture assistance association atelier au auberge aux banque
  bernard blanc bois bonnet boucherie boulangerie bretagne cabinet café chambre champ charpente château chez claude
  coiffure comité commune compagnie comptoir conseil coopérative coté couverture création côte dubois dupont durand
  duval ecole editions électricité entreprise énergie équipe espace établissements étude exploitation ferme fonderie
  fontaine formation foncière france française garnier gauthier georges gestion girard groupe groupement guerin henri
  immo immobilière jardin jean jeunes laboratoire lambert laurent le lefebvre legrand les leroy location logement lyon
  maçonnerie maison marchand maritime marseille martinez menuiserie mercier michel moreau moulin nicolas nouveau
  olivier optique paris patrimoine paul peinture perrin petit pharmacie philippe pierre plomberie pont presse
  promotion provence régie restauration richard robert roche rousseau roux sainte santé savoie scierie services
  société sud syndicat terrasse terre toit transports travaux val vert vie vignoble villa voyages

  abogados agrícola aguas alimentos almacenes alonso alquiler alvarez andaluza antonio arquitectura arte asesoria
  automoviles barcelona blanco bodegas calle calzados camino canarias carnes carpinteria castillo catalana centro
  clinica comercial comercio comunidad confecciones construcciones consultores contratas cooperativa costa cruz
  delgado desarrollo diaz distribuciones domínguez edificio ediciones electricidad empresa españa esteban estudio
  explotaciones fabrica fernandez ferrer formación fruta fundacion galicia ganadera garcia gimenez gomez gonzalez
  grafica gran grupo gutierrez hermanos hernandez herrera hierros hijos hostelería ibérica iglesias industrias
  ingenieria inmobiliaria instalaciones inversiones islas jimenez jose juan lopez luis madrid madera manuel
  mantenimiento maquinaria maria mediterráneo mendoza mercado metalúrgica molina montajes morales moreno muebles mundo
  muñoz nueva obras ortega pastor patrimonial perez pescados pinturas plaza prieto promociones proyectos publicidad
  puerto ramirez ramos reformas rio rodriguez romero rubio ruiz salud sanchez santiago santos seguros serrano sevilla
  sistemas sociedad suministros talleres tecnica torres transportes turismo vega viajes vidal vivienda almeida alves
  araujo barbosa bras brasil cardoso carvalho clube companhia comércio confeitaria condomínio distribuidora
  empreendimentos engenharia farmacia fazenda ferreira filhos fonseca gomes imobiliaria imoveis industria irmãos
  laboratorio lanchonete lima lisboa lojas machado madeiras marques mendes moura oliveira padaria paulo pereira pinto
  porto posto produtos ribeiro rocha rodrigues santa santana serviços silva soares sociedade souza supermercado
  teixeira transportadora vieira

  agenzia agricola alberghi alfa amici antica arredamenti assicurazioni autotrasporti azienda bar barbieri bianchi
  bologna bruno calzaturificio cantina cartiera casa ceramiche città colombo commercio comune condominio confezioni
  consorzio conti costruzioni edil edilizia elettro emilia esposito europa fabbrica famiglia ferramenta ferrari ferro
  finanziaria firenze fonte franco fratelli galleria gallo genova giordano giovanni gruppo il immobil immobiliare
  impianti impresa istituto italia italiana lavanderia lavoro legno lombarda luca magazzini mancini manifattura marco
  mare marino mario marmi martini meccanica milano mobili moda monte napoli nuova officina ottica palazzo panificio
  parco pasticceria pelletteria piazza piccola pizzeria ponte progetto ricci rinaldi ristorante roma romano rossi
  russo salumificio santoro scuola serramenti servizi sicilia società stampa tecno termoidraulica tipografia torino
  toscana trasporti turistica valle venezia veneta verdi vetreria via

  aannemers advies amsterdam antwerpen bakker bakkerij bedrijf beheer belgische boer boom bos bouw bouwbedrijf brouwer
  bruin bureau centrum dak de dekker den dierenarts dijk drukkerij evers fonds gebroeders gent groen groep groot haag
  haan handelsonderneming hendriks heren het hoek holding hof hout huis huisarts huls installatie jacobs jansen
  janssen jong kinder klaver koning kok kuiper landgoed loodgieter maas maatschap meijer meubel molen mulder natuur
  nederland nieuw noord oost oranje oud pensioen peters praktijk prins rotterdam schilders slagerij smeets smit stal
  stichting stad straat timmer tuin utrecht vastgoed veld verbeek vereniging vermeulen verzekering visser vlaamse
  vliet vos vries webers wiel willems winkel wit zee zon zorg zuid

  aktie allservice andersen anläggning arbeid arkitekt askim bakken bakeri barnehage bergen berntsen bil bjørn blom
  boligselskab borettslag brand bruun brug bryggeri butik bygge byg bygdeservice carlsen christensen christiansen dal
  dansk drift egendom eiendom ejendomme ejerlejlighed eks ekonomi entreprenør ericsson eriksson fabrik fastighet
  finans fisk fjell fjord flyg fond forening forlag forsikring fotball fritid frisk frisør fysioterapi fyn gaard
  gammel gård göteborg grønn gruppen gunnar gustav haga halvorsen hagen hansson haugen hav heim helse henriksen hus
  håndverk hår høy ivar idrett industri isak jacobsen johan johansson jord juul karlsson kirke kjell klubb knudsen
  kommun konsult kontor kristiansen kro kultur køben lager lakse landbruk larsen larsson lars lauritsen leif lie
  lillevik lind linde lund lys malmö marked maskin mat mikkelsen moe møbler møller mur nielsen nilsen nilsson norge
  norsk ny nybygg næring ola olsson omsorg oslo pedersen persson petersen rasmussen regnskap renhold restaurang
  revisjon rør rådgivning sam samfunn sande selskab sentrum sjø skandinav skog skole slot smed snekker solberg
  sørensen stavanger stiftelse strand strøm studie sund svendsen svensk svensson sydd sykehus sølv tak tandlæge teknik
  thomsen tog tomt torg trappe trondheim tømrer udvikling ung uppsala utbildning vand vann varme vekst verk vest
  vestre vik vind vvs ås åre økonomi øst østre öst asunto oy hallinta helsinki hoiva huolto insinööri isännöinti järvi
  kauppa keski kiinteistö kone kuljetus kunta lahti lappi liike länsi maa mäki metsä musiikki mylly oulu palvelu
  pohjola puu rakennus ravintola saimaa satakunta suomen säätiö tampere tekniikka tilat turku työ urheilu uusi vesi
  virtanen yhdistys yhtiö

  agencja apteka biuro bud budowlane chemia dom drew dystrybucja eko energia fabryka firma fundacja gabinet
  gospodarstwo grupa hurtownia inwest instytut jan jasna kancelaria kamień klub kolor kowalski kraków krajowy lekarska
  lewandowski maszyny mazur mebel medyczne miejski mleko nieruchomości nowak nowa nowy ogród oświata pałac parafia
  piekarnia piotr pol polska poznań pracownia przedsiębiorstwo przemysł ośrodek remonty rol rynek sklep słoneczny
  spółdzielnia stary stowarzyszenie szkoła tur usługi warszawa wielko wojciech wspólnota wydawnictwo wytwórnia zakład
  zarząd zdrowie zespół zielony złoty agro bohemia brno byty česká dřevo dům hradec kovo jih jiří kámen lesy mladá
  morava nová novák obec obchod pekařství pivovar praha properti prima reality sdružení služby společenství stavby
  stavební střední svoboda škoda tep tisk voda výroba zahrada zdraví zemědělské slovenská bratislava košice poľno
  tatra agrár alapítvány autó balaton budapest duna egyesület élelmiszer építő fa fő gép hungária ingatlan ipari
  kereskedelmi kft kiss kovács magyar mező nagy németh ös szabó szolgáltató tisza tóth új vár víz alimentar asociația
  banca bucurești cluj com cons construct dacia dumitru elena ion ionescu impex ind lemn mari mob popa popescu prest
  prod romania sibiu stan stejar vasile altın anadolu ankara ata bahçe beyaz bilgi bilişim birlik boğaziçi büyük çağ
  çelik cam danışmanlık demir deniz dış doğa doğan ege eğitim ekin elektrik emlak enerji eren gıda gök gün güneş güven
  hava ihracat ilaç inşaat istanbul iş ışık kaya kılıç kimya kırmızı kuzey lojistik mavi mehmet mermer mobilya
  mühendislik nakliyat oğuz orman otomotiv öz petrol sağlık sanayi sigorta şahin şehir tarım taş tekstil ticaret
  toprak turizm türk uluslararası ulus ün yapı yatırım yeni yıldız yılmaz yol zafer ziraat apgāds baltijas celtniecība
  daugava dārzs eesti ehitus gatve haldus ida jaunais jūra kaunas kalns kinnisvara klaipėda kodu korteriühistu
  latvijas lietuvos lauku māja mets nams namas nordic osaühing pärnu rīga saare saules sporta statyba tallinn tartu
  tiekimas transporta ühing vairas vesta vilnius žalia žemės adria beograd crna dalmacija dunav gradnja građevinski
  hrvatska inženjering istra jadran kamen kuća ljubljana maraton mladinska novi podjetje poljo promet sava servis
  sarajevo slovenija split trgovina turist udruga usluge vino zadruga zagreb zavod zlatni

  beijing chang cheng china chong da dong fang fu gao guang guo hai han he heng hong hua huang hui ji jia jian jiang
  jin jing jiu kang lan li lian liang lin mei min ming nan ning ping qi qing rong rui san shan shanghai shen sheng shi
  tai tang tian tong wan wang wei wen wu xi xia xiang xin xing xu yan yang yi ying yong you yu yuan yue yun zhang zhao
  zhen zheng zhi zhong zhou zhu aichi akita daito fuji fukuoka hiro hokkai ishi kawa kita kobe kyoto matsu mitsu mori
  nagoya nihon nippon nishi osaka sakura sanyo shin showa suzuki taka tanaka tokyo toyo yama yamato busan dae hyun kim
  korea samsung seoul aditya agarwal amrit anand arun ashok balaji bharat bombay delhi devi durga ganesh gupta gujarat
  hari hindustan india jai jain krishna kumar lakshmi laxmi mahavir maruti mehta mohan mumbai om patel prakash punjab
  raj rajesh ram reddy sai shah sharma shiva shree singh sri sunil surya tata vijay vishnu abdul abu ahmed al ali amal
  arab bin dar dubai emirates gulf hassan hussein ibrahim jamal khalid mohammed najm noor omar qatar rashid salem
  saudi sharjah tariq yousef zain bangkok mekong minh nguyen phat phu saigon siam thai thanh tien viet dewi indah jaya
  karya maju makmur sinar sumber utama
`
  .trim()
  .split(/\s+/u);

/** Returns the name model trained with the common words. The model is built once. */
export function generalModel(): NameModel {
  if (general !== null) return general;
  general = new NameModel(characterSeeds(), true);
  for (const word of COMMON_WORDS) general.learn(word);
  return general;
}

let general: NameModel | null = null;
