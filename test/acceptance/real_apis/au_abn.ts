// Australia, ABN Lookup of the Australian Business Register: JSON services.
// Facts: open clients of MatchingNames.aspx and AbnDetails.aspx (parameters `name`, `maxResults`, `callback`; responses are
// wrapped in `callback(…)`; fields of a row and of a record; `Message` with status 200; at most 100 or 200 results).
// Hard: the response is a function call and no JSON document (JSONP); no paging and no total, only `maxResults`; a business
// has a row for each of its names, and the flag `IsCurrent` and the type of the name select the right one; the record has
// other keys and is flat; errors are a text in a 200; keys are in Pascal case.
// Approximated: matching (every word of the query is a word of the name), order, the key in a header (the real API has it
// in a parameter), the largest `maxResults` of 200.
import { ENGLISH } from './companies.ts';
import { digits, hasWords, type Reply, standIn, whole } from './server.ts';

const SEARCH = '/json/MatchingNames.aspx';
const RECORD = '/json/AbnDetails.aspx';

export const auAbn = standIn({
  name: 'au_abn',
  locale: ENGLISH,
  rows: 300,
  cap: 200,
  hints: { paths: { search: SEARCH, entity: `${RECORD}?abn={id}` } },
  record({ index, name, formerNames, date, trade, isActive }) {
    const id = digits(index, 11, 27);
    const upper = name.toUpperCase();
    const row = (text: string, type: string, isCurrent: boolean) => ({
      Abn: id,
      AbnStatus: isActive ? '0000000001' : '0000000002',
      IsCurrent: isCurrent,
      Name: text,
      NameType: type,
      Postcode: String(2_000 + (index % 700)),
      Score: 100 - (index % 20),
      State: 'NSW',
    });
    const businessNames = index % 6 === 0 ? [`${upper.split(' ')[0]} ${trade.toUpperCase()} CENTRE`] : [];
    const rows = [
      ...formerNames.map((former) => row(former.toUpperCase(), 'Entity Name', false)),
      ...businessNames.map((business) => row(business, 'Business Name', true)),
      row(upper, 'Entity Name', true),
    ];
    const record = {
      Abn: id,
      AbnStatus: isActive ? 'Active' : 'Cancelled',
      AbnStatusEffectiveFrom: date,
      Acn: digits(index, 9, 28),
      AddressDate: date,
      AddressPostcode: rows[0]?.Postcode,
      AddressState: 'NSW',
      BusinessName: businessNames,
      EntityName: upper,
      EntityTypeCode: 'PRV',
      EntityTypeName: 'Australian Private Company',
      Gst: null,
      Message: '',
    };
    return { id, name: upper, rows, record };
  },
  notFound: { status: 404, body: '<title>404 - File or directory not found.</title>' },
  reply({ path, params, rows, cap }) {
    const callback = params.get('callback') ?? 'callback';
    if (path === SEARCH) {
      const query = params.get('name') ?? '';
      const size = Math.min(whole(params, 'maxResults', 10) || 10, cap);
      if (query === '') return call(callback, { Message: 'No name was entered.', Names: [] });
      const found = rows.flatMap((business) => business.rows).filter(({ Name }) => hasWords(query, Name));
      return call(callback, { Message: '', Names: found.slice(0, size) });
    }
    if (path !== RECORD) return null;
    const wanted = (params.get('abn') ?? '').replaceAll(' ', '');
    const business = rows.find(({ id }) => id === wanted);
    const missing = { Abn: '', AbnStatus: '', BusinessName: [], EntityName: '', Message: 'No record found' };
    return call(callback, business?.record ?? missing);
  },
});

function call(callback: string, value: unknown): Reply {
  const headers = { 'content-type': 'text/javascript; charset=utf-8' };
  return { headers, body: `${callback}(${JSON.stringify(value)})` };
}
