// Slovakia, Register of Legal Persons (RPO) of the Statistical Office.
// Facts: a server for RPO lookups (list of parameters, paths), an open TypeScript client of RPO (thin search rows, two-step
// lookup, error body `{code, message}`, no paging parameter has an effect) and open field catalogs (`fullNames[]` and
// `addresses[]` with validFrom and validTo).
// Hard: a search returns everything in one response, without a total, a page or a page size, so paging parameters seem to
// work but change nothing; the current name is the one without an end date, in no fixed position; the internal `id` opens
// the record and the public number (IČO) in `identifiers` does not; the record has more fields than the search.
// Approximated: matching (every word starts a word of a name), a limit of 500 rows, texts of errors.
import { SLOVAK } from './companies.ts';
import { digits, hasWordPrefixes, type Reply, standIn } from './server.ts';

const SEARCH = '/rpo/v1/search';
const RECORD = '/rpo/v1/entity/';

export const skRpo = standIn({
  name: 'sk_rpo',
  locale: SLOVAK,
  rows: 500,
  cap: 500,
  hints: { paths: { search: SEARCH, entity: `${RECORD}{id}` } },
  record({ index, name, formerNames, date, town, form, isActive }) {
    const id = digits(index, 6, 11);
    const identifier = digits(index, 8, 12);
    const former = formerNames.map((value) => ({ value, validFrom: '1993-01-01', validTo: '2001-05-31' }));
    const current = { value: name, validFrom: former.length > 0 ? '2001-06-01' : date };
    const row = {
      id: Number(id),
      dbModificationDate: '2026-10-01',
      identifiers: [{ value: identifier, validFrom: date }],
      fullNames: index % 2 === 0 ? [current, ...former] : [...former, current],
      addresses: [
        ...(index % 5 === 0
          ? [{ municipality: { value: 'Lipovec' }, validFrom: date, validTo: '1999-12-31' }]
          : []),
        { street: 'Hlavná', buildingNumber: '1', municipality: { value: town }, validFrom: date },
      ],
      establishment: date,
      ...(isActive ? {} : { termination: '2024-06-30' }),
      sourceRegister: { value: { value: 'Obchodný register' } },
    };
    const record = {
      ...row,
      legalForms: [{ value: { value: form.replace(/^[, ]+/, ''), code: '112' }, validFrom: date }],
      activities: [{ economicActivityDescription: 'Kúpa tovaru', validFrom: date }],
      statisticalCodes: { mainActivity: { value: 'Nešpecializovaný veľkoobchod', code: '46900' } },
    };
    return { id, name, names: [name, ...formerNames], identifier, isActive, row, record };
  },
  notFound: { status: 404, body: { code: 404, message: 'Not found' } },
  reply({ path, params, rows, cap }) {
    if (path === SEARCH) {
      const name = params.get('fullName') ?? '';
      const identifier = params.get('identifier');
      if (name.trim() === '' && identifier === null)
        return failure(400, 'At least one search parameter is required');
      const onlyActive = params.get('onlyActive') === 'true';
      const found = rows
        .filter(({ names }) => name === '' || names.some((one) => hasWordPrefixes(name, one)))
        .filter((one) => identifier === null || one.identifier === identifier)
        .filter(({ isActive }) => isActive || !onlyActive);
      return {
        body: { results: found.slice(0, cap).map(({ row }) => row), license: 'CC BY 4.0' },
      };
    }
    if (!path.startsWith(RECORD)) return null;
    const id = path.slice(RECORD.length);
    if (!/^\d+$/.test(id)) return failure(400, 'Invalid entity identifier');
    const person = rows.find((one) => one.id === id);
    return person === undefined ? failure(404, 'Entity not found') : { body: person.record };
  },
});

function failure(status: number, message: string): Reply {
  return { status, body: { code: status, message } };
}
