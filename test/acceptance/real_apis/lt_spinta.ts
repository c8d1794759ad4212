// Lithuania, open data portal: register of legal entities behind Spinta.
// Facts: open clients of get.data.gov.lt (function calls in the query string, `_data`, `_page.next`, errors).
// Hard: the query, the page size and the page are arguments of functions, not values of parameters:
// `ja_pavadinimas.contains("UAB")&limit(100)&page("…")`; any other part is an error; ids are UUIDs.
// Approximated: order, escapes inside the quotes, the default page of 100 rows.
import { ENGLISH } from './companies.ts';
import { code, digits, standIn } from './server.ts';

const PATH = '/datasets/gov/rc/jar/JuridinisAsmuo';
const NAME = 'ja_pavadinimas';

export const ltSpinta = standIn({
  name: 'lt_spinta',
  locale: ENGLISH,
  rows: 450,
  cap: 1_000_000,
  hints: {
    paths: {
      search: `${PATH}?${NAME}.contains("{query:json}")&limit({size})&page("{page}")`,
      entity: `${PATH}/{id}`,
    },
  },
  record({ index, name, date }) {
    const id = `${code(index, 8, '0123456789abcdef')}-1111-4000-8000-${digits(index, 12, 5)}`;
    const row = {
      _type: PATH.slice(1),
      _id: id,
      ja_kodas: Number(digits(index, 9, 3)),
      [NAME]: name,
      reg_data: date,
      isreg_data: null,
    };
    return { id, name, row };
  },
  reply({ path, url, rows }) {
    if (path === PATH) {
      let found = rows;
      let [limit, start] = [100, 0];
      for (const part of url.search.slice(1).split('&').filter(Boolean).map(decodeURIComponent)) {
        const contains = /^(\w+)\.contains\((".*")\)$/.exec(part);
        const size = /^limit\((\d+)\)$/.exec(part)?.[1];
        const page = /^page\("(.*)"\)$/.exec(part)?.[1];
        if (contains?.[1] === NAME) {
          const query = JSON.parse(contains[2] ?? '""') as string;
          found = found.filter(({ name }) => name.includes(query));
        } else if (size !== undefined) limit = Number(size);
        else if (page !== undefined) start = Number(Buffer.from(page, 'base64').toString());
        else
          return {
            status: 400,
            body: {
              errors: [{ code: 'FieldNotInResource', message: `Unknown property '${part.split('=')[0]}'.` }],
            },
          };
      }
      const end = start + limit;
      const next = end < found.length ? { _page: { next: Buffer.from(String(end)).toString('base64') } } : {};
      return { body: { _data: found.slice(start, end).map(({ row }) => row), ...next } };
    }
    const company = rows.find(({ id }) => path === `${PATH}/${id}`);
    return company === undefined ? null : { body: company.row };
  },
});
