// Japan, gBizINFO (Ministry of Economy, Trade and Industry), REST API v1.
// Facts: ryoma123/gbizinfo-ruby (paths), open clients and their fixtures (header X-hojinInfo-api-token, `hojin-infos` in
// searches and records, no match is a 404, missing values are the text "Null", a trailing slash is a 500, `page` and
// `limit`), a typed model of the envelope (`id`, `message`, `errors`).
// Hard: the list has a kebab-case key; a search and a record have the same envelope, so a record is in a list of one; no
// match is a 404; no total; missing values are the text "Null"; names are Japanese, and the legal form is before or
// after them; a name in kana is beside the name.
// Approximated: matching (a part of the name), limits (5,000 rows a page, ten pages), texts of errors.
import { JAPANESE } from './companies.ts';
import { digits, hasSubstring, type Reply, standIn, whole } from './server.ts';

const PATH = '/hojin/v1/hojin';

interface Corporation {
  readonly id: string;
  readonly name: string;
  readonly row: Readonly<Record<string, unknown>>;
}

export const jpGbizinfo = standIn<Corporation>({
  name: 'jp_gbizinfo',
  locale: JAPANESE,
  rows: 500,
  cap: 50_000,
  hints: { paths: { search: PATH, entity: `${PATH}/{id}` }, key_header: 'X-hojinInfo-api-token' },
  credential: (key) => ['x-hojininfo-api-token', key],
  unauthorized: failure(401, '401 - Unauthorized.'),
  record({ index, name, town, date }) {
    const id = digits(index, 13, 21);
    const row = {
      corporate_number: id,
      name,
      kana: index % 3 === 0 ? 'Null' : 'カブシキガイシャ',
      location: `東京都${town}区1-${index + 1}`,
      postal_code: '1000001',
      status: '-',
      update_date: `${date}T00:00:00+09:00`,
      number_of_activity: String(index % 7),
      name_en: 'Null',
      close_date: 'Null',
    };
    return { id, name, row };
  },
  notFound: failure(404, '404 - Not Found.'),
  reply({ path, params, rows, cap }) {
    if (path.endsWith('/')) return failure(500, '500 - Internal Server Error.');
    if (path === PATH) {
      const name = params.get('name') ?? '';
      const number = params.get('corporate_number');
      const page = whole(params, 'page', 1);
      const limit = whole(params, 'limit', 1000);
      if (name === '' && number === null)
        return failure(400, '400 - Bad Request.', '検索条件を指定してください。');
      if (!(page >= 1 && page <= 10))
        return failure(400, '400 - Bad Request.', 'pageは1から10で指定してください。');
      if (!(limit >= 1 && limit <= 5000))
        return failure(400, '400 - Bad Request.', 'limitは1から5000で指定してください。');
      const found = rows
        .filter((one) => name === '' || hasSubstring(name, one.name))
        .filter(({ id }) => number === null || id === number);
      const shown = found.slice(0, cap).slice((page - 1) * limit, page * limit);
      if (shown.length === 0) return failure(404, '404 - Not Found.');
      return { body: envelope(shown) };
    }
    if (!path.startsWith(`${PATH}/`)) return null;
    const found = rows.filter(({ id }) => id === path.slice(PATH.length + 1));
    return found.length === 0 ? failure(404, '404 - Not Found.') : { body: envelope(found) };
  },
});

function envelope(shown: readonly Corporation[]) {
  return { id: null, message: '200 - OK.', errors: null, 'hojin-infos': shown.map(({ row }) => row) };
}

function failure(status: number, message: string, detail?: string): Reply {
  const errors = detail === undefined ? null : [{ message: detail }];
  return { status, body: { id: null, message, errors, 'hojin-infos': null } };
}
