// Taiwan, open data of the company register (GCIS): search of companies by a part of the name, and basic data.
// Facts: open clients in several languages that call the two data sets (`$format=json`, `$filter=Company_Name like … and
// Company_Status eq 01`, `$skip`, `$top`; record by `Business_Accounting_NO eq …`; an empty body if nothing matches; the
// comparison is a part of the name; both conditions are mandatory).
// Hard: names of parameters start with `$`; the query is part of an expression with a second mandatory condition; without
// `$format=json` the response is XML; no match is a 200 with an empty body; a bare list without a total; the record is
// another data set, in a list of one; names are Chinese, so a word has no spaces around it.
// Approximated: text for a wrong expression, a limit of 1,000 for `$top`, dates of the Republic calendar.
import { CHINESE } from './companies.ts';
import { digits, type Reply, standIn, whole } from './server.ts';

const SEARCH = '/od/data/api/6BBA2268-1367-4B42-9CCA-BC17499EBE8C';
const RECORD = '/od/data/api/5F64D864-61CB-4D0D-8AD9-492047CC1EA6';

interface Company {
  readonly id: string;
  readonly name: string;
  readonly row: Readonly<Record<string, unknown>>;
  readonly record: Readonly<Record<string, unknown>>;
}

export const twGcis = standIn<Company>({
  name: 'tw_gcis',
  locale: CHINESE,
  rows: 600,
  cap: 500_000,
  hints: {
    paths: {
      search: `${SEARCH}?$format=json`,
      entity: `${RECORD}?$format=json&$filter=Business_Accounting_NO eq {id}`,
    },
    query: '$filter=Company_Name like {query} and Company_Status eq 01',
  },
  record({ index, name, town, date }) {
    const id = digits(index, 8, 20);
    const setUp = `${String(Number(date.slice(0, 4)) - 1911).padStart(3, '0')}${date.slice(5, 7)}${date.slice(8)}`;
    const row = {
      Business_Accounting_NO: id,
      Company_Name: name,
      Company_Status: '01',
      Company_Status_Desc: '核准設立',
      Capital_Stock_Amount: 1_000_000 + index * 1_000,
      Paid_In_Capital_Amount: 500_000,
      Responsible_Name: '王大明',
      Register_Organization_Desc: `${town}市政府`,
      Company_Location: `${town}市中正路${index + 1}號`,
      Company_Setup_Date: setUp,
      Change_Of_Approval_Data: '1140101',
    };
    const record = { ...row, Case_Status: '', Revoke_App_Date: '', Sus_App_Date: '', Sus_Beg_Date: '' };
    return { id, name, row, record };
  },
  notFound: { status: 404, body: '' },
  reply({ path, params, rows, cap }) {
    if (path !== SEARCH && path !== RECORD) return null;
    const kind = path === SEARCH ? 'search' : 'entity';
    const filter = params.get('$filter') ?? '';
    const number = /^Business_Accounting_NO eq '?(\d+)'?$/.exec(filter)?.[1];
    const name = /^Company_Name like '?(.+?)'? and Company_Status eq '?01'?$/.exec(filter)?.[1];
    const isKnown = kind === 'search' ? name !== undefined : number !== undefined;
    if (!isKnown) return { status: 400, body: '參數格式錯誤' };
    const top = whole(params, '$top', 50);
    const skip = whole(params, '$skip', 0);
    if (!(top >= 1 && top <= 1000 && skip >= 0 && skip <= cap)) return { status: 400, body: '參數格式錯誤' };
    const found = rows.filter((one) => (name === undefined ? one.id === number : one.name.includes(name)));
    const shown = found.slice(0, cap).slice(skip, skip + top);
    return bodyOf(kind, params.get('$format'), shown);
  },
});

function bodyOf(kind: 'search' | 'entity', format: string | null, shown: readonly Company[]): Reply {
  if (shown.length === 0) return { body: '', headers: { 'content-type': 'application/json' } };
  if (format === 'json') return { body: shown.map(({ row, record }) => (kind === 'search' ? row : record)) };
  const rows = shown.map(
    ({ id, name }) =>
      `<row><Business_Accounting_NO>${id}</Business_Accounting_NO><Company_Name>${name}</Company_Name></row>`,
  );
  return {
    headers: { 'content-type': 'text/xml' },
    body: `<?xml version="1.0"?><data>${rows.join('')}</data>`,
  };
}
