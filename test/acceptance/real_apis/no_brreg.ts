// Norway, Enhetsregisteret (Brønnøysund Register Centre), the open API for units.
// Facts: specs/enhetsregisteret.json of brreg/openAPI (parameters, depth of 10,000, pages from 0), HAL response types in
// navikt/bedriftsmeny, error body in the Feilmelding class of a client by NAV (no.nav.etterlatte.enhetsregister).
// Hard: `_embedded` is absent if nothing matches; unknown parameters are ignored, so each of them seems to work; the
// total is in an object beside the links; the depth is refused with 400; statistics do not exist.
// Approximated: matching (every word starts a word of the name), order (register order instead of score), error texts.
import { NORWEGIAN } from './companies.ts';
import { digits, hasWordPrefixes, type Reply, standIn, whole } from './server.ts';

const PATH = '/enhetsregisteret/api/enheter';

export const noBrreg = standIn({
  name: 'no_brreg',
  locale: NORWEGIAN,
  rows: 700,
  cap: 10_000,
  hints: { paths: { search: PATH, entity: `${PATH}/{id}` } },
  record(company) {
    const id = digits(company.index, 9);
    const name = company.name.toLocaleUpperCase('nb');
    const body = {
      organisasjonsnummer: id,
      navn: name,
      organisasjonsform: {
        kode: company.form === '' ? 'ENK' : company.form,
        beskrivelse: company.form === 'AS' ? 'Aksjeselskap' : 'Annen organisasjonsform',
        _links: { self: { href: `/enhetsregisteret/api/organisasjonsformer/${company.form}` } },
      },
      registreringsdatoEnhetsregisteret: company.date,
      registrertIMvaregisteret: company.isActive,
      naeringskode1: { kode: '68.209', beskrivelse: company.trade },
      antallAnsatte: company.index % 40,
      forretningsadresse: { land: 'Norge', landkode: 'NO', poststed: company.town, adresse: ['Storgata 1'] },
      konkurs: !company.isActive,
      maalform: 'Bokmål',
    };
    return { id, name, body };
  },
  notFound: { status: 404 },
  reply({ path, params, rows, cap, link }) {
    if (path === PATH) {
      const size = whole(params, 'size', 20);
      const page = whole(params, 'page', 0);
      if (!(size >= 0)) return invalid('size', params.get('size'), 'Parameteren må være et heltall');
      if (!(page >= 0)) return invalid('page', params.get('page'), 'Parameteren må være et heltall');
      if ((page + 1) * size > cap) {
        return invalid('size', String(size), `Antall ønskede treff (page+1)*size må ikke overstige ${cap}`);
      }
      const name = params.get('navn') ?? '';
      const ids = params.get('organisasjonsnummer')?.split(',');
      const found = rows
        .filter((unit) => name === '' || hasWordPrefixes(name, unit.name))
        .filter(({ id }) => ids === undefined || ids.includes(id));
      const shown = found.slice(page * size, (page + 1) * size);
      const lastPage = Math.max(0, Math.ceil(found.length / size) - 1);
      return {
        body: {
          ...(shown.length === 0 ? {} : { _embedded: { enheter: shown.map(({ body }) => body) } }),
          _links: {
            first: { href: link({ page: 0, size }) },
            self: { href: link({}) },
            ...(page < lastPage ? { next: { href: link({ page: page + 1, size }) } } : {}),
            last: { href: link({ page: lastPage, size }) },
          },
          page: { size, totalElements: found.length, totalPages: lastPage + 1, number: page },
        },
      };
    }
    const id = path.startsWith(`${PATH}/`) ? path.slice(PATH.length + 1) : null;
    if (id === null) return null;
    if (!/^\d{9}$/.test(id)) return invalid('organisasjonsnummer', id, 'Organisasjonsnummer må ha 9 siffer');
    const unit = rows.find((one) => one.id === id);
    return unit === undefined ? { status: 404 } : { body: unit.body };
  },
});

function invalid(parameter: string, value: string | null, text: string): Reply {
  return {
    status: 400,
    body: {
      tidspunkt: '2026-11-26T10:00:00.000+00:00',
      status: 400,
      feilmelding: 'Feilaktig forespørsel',
      sti: PATH,
      antallFeil: 1,
      valideringsfeil: [{ feilmelding: text, parametere: [parameter], feilaktigVerdi: value }],
    },
  };
}
