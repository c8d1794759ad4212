// Croatia, court register (Sudski registar), public API v3.
// Facts: SudskiRegistarDataAPI and other open clients (paths, `tvrtka_naziv`, `offset`, `limit`, `only_active`,
// `no_data_error`, `expand_relations`), RegistarPoslovnihSubjekata (X-Total-Count, X-Snapshot-Id, `/counts`), a client
// that reads error code 505 for "no data", administrakt0r/SudRegAPIguide (identifiers, `/counts` as a list).
// Hard: the total is only in the header X-Total-Count; the list is a bare array; the name is in an object, and only with
// `expand_relations=true`; the statistics are a list of tables; no match is a 404 with a code, unless `no_data_error=0`;
// ids are numbers that lose their leading zero; two ids, and the type of the id is a constant of the record path.
// Approximated: matching (a part of the name), default and largest limit, texts of errors.
import { CROATIAN } from './companies.ts';
import { digits, hasSubstring, type Reply, standIn, whole } from './server.ts';

const SEARCH = '/api/javni/subjekti';
const RECORD = '/api/javni/detalji_subjekta';
const MAX_LIMIT = 1000;
const SNAPSHOT = { 'x-snapshot-id': '1234' };

interface Subject {
  readonly id: string;
  readonly name: string;
  readonly oib: string;
  readonly isActive: boolean;
  readonly row: Readonly<Record<string, unknown>>;
  readonly relations: Readonly<Record<string, unknown>>;
}

export const hrSudreg = standIn<Subject>({
  name: 'hr_sudreg',
  locale: CROATIAN,
  rows: 500,
  cap: 1_000_000,
  hints: {
    paths: {
      search: `${SEARCH}?expand_relations=true`,
      entity: `${RECORD}?tip_identifikatora=mbs&expand_relations=true&identifikator={id}`,
      stats: '/api/javni/counts',
    },
  },
  record({ index, name, town, date, isActive, form }) {
    const id = digits(index, 8, 14);
    const oib = digits(index, 11, 15);
    const upper = name.toLocaleUpperCase('hr');
    const row = {
      mbs: Number(id),
      status: isActive ? 1 : 0,
      sud_id_nadlezan: 80,
      oib: Number(oib),
      ino_podruznica: 0,
      stecajna_masa: 0,
      datum_osnivanja: `${date}T00:00:00`,
    };
    const relations = {
      tvrtka: { ime: upper, naznaka_imena: upper.split(' ')[0] },
      skracena_tvrtka: index % 4 === 0 ? null : { ime: upper.replace(' ZA USLUGE', '') },
      sjediste: { naziv_naselja: town, ulica: 'Obala', kucni_broj: 1 },
      pravni_oblik: { pravni_oblik_id: 9, vrsta_pravnog_oblika: { kratica: form } },
    };
    return { id, name: upper, oib, isActive, row, relations };
  },
  notFound: { status: 404, body: { error_code: 404, error_message: 'Not Found' } },
  reply({ path, params, rows, cap }) {
    const isExpanded = ['true', '1'].includes(params.get('expand_relations') ?? '');
    const bodyOf = ({ row, relations }: Subject) => (isExpanded ? { ...row, ...relations } : row);
    if (path === '/api/javni/counts') {
      return {
        headers: SNAPSHOT,
        body: [
          { table_name: 'SRC_SJEDISTA', count: rows.length + 3 },
          { table_name: 'SRC_SUBJEKTI', count: rows.length },
          { table_name: 'SRC_SUDOVI', count: 14 },
        ],
      };
    }
    if (path === SEARCH) {
      const limit = whole(params, 'limit', 100);
      const offset = whole(params, 'offset', 0);
      if (!(limit >= 1 && limit <= MAX_LIMIT))
        return failure(400, 503, 'Neispravna vrijednost parametra limit.');
      if (!(offset >= 0)) return failure(400, 503, 'Neispravna vrijednost parametra offset.');
      const name = params.get('tvrtka_naziv') ?? '';
      const onlyActive = ['true', '1'].includes(params.get('only_active') ?? '');
      const found = rows
        .filter((subject) => hasSubstring(name, subject.name))
        .filter(({ isActive }) => isActive || !onlyActive);
      const shown = found.slice(0, cap).slice(offset, offset + limit);
      if (shown.length === 0 && params.get('no_data_error') !== '0') {
        return failure(404, 505, 'Nema podataka za tražene parametre.');
      }
      return {
        headers: { ...SNAPSHOT, 'x-total-count': String(found.length) },
        body: shown.map(bodyOf),
      };
    }
    if (path !== RECORD) return null;
    const type = params.get('tip_identifikatora');
    const wanted = params.get('identifikator') ?? '';
    if (type !== 'mbs' && type !== 'oib') return failure(400, 504, 'Nepoznat tip_identifikatora.');
    const subject = rows.find(({ id, oib }) =>
      type === 'oib' ? oib === wanted : id === wanted.replace(/^0+/, ''),
    );
    if (subject === undefined) return failure(404, 505, 'Nema podataka za tražene parametre.');
    return { headers: SNAPSHOT, body: bodyOf(subject) };
  },
});

function failure(status: number, code: number, message: string): Reply {
  return { status, body: { error_code: code, error_message: message, log_id: null } };
}
