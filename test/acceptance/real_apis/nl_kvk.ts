// The Netherlands, KVK Handelsregister: API Zoeken v2 and API Basisprofiel v1.
// Facts: the OpenAPI document api_zoeken.yaml 2.1 of KVK (parameters, at most 1,000 results), the R package kvkapiR
// (1,000 results, codes of errors), the codes and texts IPD1999 and IPD5200 in open Dutch government clients,
// Appvise/KvkApi (envelope of v2).
// Hard: names of parameters and fields are Dutch; no match is a 404; refused parameters are listed in one message; a
// company with a legal person has two rows with one number, so the total counts rows and not companies; results stop at
// 1,000; the record is in another version of the API; the header of the key is `apikey`.
// Approximated: matching (every word starts a word of the name), text of IPD1998, body of a refused key.
import { DUTCH } from './companies.ts';
import { digits, hasWordPrefixes, type Reply, standIn, unknownParams, whole } from './server.ts';

const SEARCH = '/api/v2/zoeken';
const RECORD = '/api/v1/basisprofielen/';
const KNOWN = [
  'kvkNummer',
  'rsin',
  'vestigingsnummer',
  'naam',
  'straatnaam',
  'huisnummer',
  'huisletter',
  'postcode',
  'plaats',
  'type',
  'inclusiefInactieveRegistraties',
  'pagina',
  'resultatenPerPagina',
];

interface Company {
  readonly id: string;
  readonly name: string;
  readonly rows: readonly Readonly<Record<string, unknown>>[];
  readonly record: Readonly<Record<string, unknown>>;
}

export const nlKvk = standIn<Company>({
  name: 'nl_kvk',
  locale: DUTCH,
  rows: 600,
  cap: 1_000,
  hints: { paths: { search: SEARCH, entity: `${RECORD}{id}` }, key_header: 'apikey' },
  credential: (key) => ['apikey', key],
  unauthorized: { status: 401, body: { fault: { faultstring: 'Invalid ApiKey' } } },
  record({ index, name, town, date, formerNames, form, trade }) {
    const id = digits(index, 8, 2);
    const links = [{ rel: 'basisprofiel', href: `${RECORD}${id}` }];
    const branch = {
      kvkNummer: id,
      vestigingsnummer: digits(index, 12, 4),
      naam: name,
      adres: { binnenlandsAdres: { type: 'bezoekadres', straatnaam: 'Kade', plaats: town } },
      type: 'hoofdvestiging',
      actief: 'Ja',
      links,
    };
    const legalPerson = {
      kvkNummer: id,
      rsin: digits(index, 9, 5),
      naam: name,
      type: 'rechtspersoon',
      actief: 'Ja',
      links,
    };
    const names = [name, ...formerNames].map((naam, order) => ({ naam, volgorde: order }));
    const record = {
      kvkNummer: id,
      indNonMailing: 'Nee',
      naam: name,
      formeleRegistratiedatum: date.replaceAll('-', ''),
      materieleRegistratie: { datumAanvang: date.replaceAll('-', '') },
      statutaireNaam: name,
      handelsnamen: names.toReversed(),
      sbiActiviteiten: [{ sbiCode: '6420', sbiOmschrijving: trade, indHoofdactiviteit: 'Ja' }],
      links: [{ rel: 'self', href: `${RECORD}${id}` }],
      _embedded: { eigenaar: { rsin: legalPerson.rsin, rechtsvorm: form } },
    };
    return { id, name, rows: /^[BN]\.V\.$/.test(form) ? [branch, legalPerson] : [branch], record };
  },
  notFound: { status: 404 },
  reply({ path, params, rows, cap, link }) {
    if (path.startsWith(RECORD)) return record(rows, path.slice(RECORD.length));
    if (path !== SEARCH) return null;
    const refused = unknownParams(params, KNOWN);
    const page = whole(params, 'pagina', 1);
    const size = whole(params, 'resultatenPerPagina', 10);
    if (!(page >= 1 && page <= 1000)) refused.push('pagina');
    if (!(size >= 1 && size <= 100)) refused.push('resultatenPerPagina');
    if (refused.length > 0) {
      return fault(
        400,
        'IPD1999',
        `De volgende opgegeven parameter(s) is(zijn) ongeldig: ${refused.join(', ')}`,
      );
    }
    const name = params.get('naam') ?? '';
    const number = params.get('kvkNummer');
    const town = params.get('plaats');
    if (name === '' && number === null && town === null)
      return fault(400, 'IPD1998', 'Algemene invoer parameter fout.');
    const found = rows
      .filter((company) => name === '' || hasWordPrefixes(name, company.name))
      .filter(({ id }) => number === null || id === number)
      .flatMap((company) => company.rows);
    const shown = found.slice(0, cap).slice((page - 1) * size, page * size);
    if (shown.length === 0) {
      const text = 'Er zijn geen gegevens gevonden die voldoen aan de opgegeven zoekparameters.';
      return fault(404, 'IPD5200', text);
    }
    const total = Math.min(found.length, cap);
    return {
      body: {
        pagina: page,
        resultatenPerPagina: size,
        totaal: total,
        ...(page * size < total ? { volgende: link({ pagina: page + 1 }) } : {}),
        ...(page > 1 ? { vorige: link({ pagina: page - 1 }) } : {}),
        resultaten: shown,
        links: [{ rel: 'self', href: link({}) }],
      },
    };
  },
});

function record(rows: readonly Company[], id: string): Reply {
  if (!/^\d{8}$/.test(id)) return fault(400, 'IPD0004', `Het KVK-nummer ${id} is niet valide.`);
  const company = rows.find((one) => one.id === id);
  if (company !== undefined) return { body: company.record };
  return fault(404, 'IPD0005', `Er zijn geen gegevens gevonden voor het KVK-nummer ${id}.`);
}

function fault(status: number, code: string, omschrijving: string): Reply {
  return {
    status,
    body: { fout: [{ code, omschrijving }] },
  };
}
