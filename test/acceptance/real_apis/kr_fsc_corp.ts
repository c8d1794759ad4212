// Korea, Financial Services Commission on the public data portal: outline of corporations (getCorpOutline_V2).
// Facts: sungholion/EZDG_OpenData (parameters of the service), open clients (`resultType=json`, `corpNm`, `crno`,
// `pageNo`, `numOfRows`, envelope `response.body.items.item`, resultCode 00, XML errors of the gateway).
// Hard: a constant parameter is mandatory, without it the response is XML; the envelope is four levels deep and the total
// is beside it; an empty list is an empty string in place of an object; the record is the search path with another
// parameter, in a list of one; errors of parameters are a 200 with a code; two ids, and only one is a parameter; all
// values are strings; names are Korean.
// Approximated: matching (a part of the name), the key in a header (the real API has it in a parameter), the largest page
// of 1,000.
import { KOREAN } from './companies.ts';
import { digits, type Reply, standIn, whole } from './server.ts';

const PATH = '/1160100/service/GetCorpBasicInfoService_V2/getCorpOutline_V2';

export const krFscCorp = standIn({
  name: 'kr_fsc_corp',
  locale: KOREAN,
  rows: 500,
  cap: 1_000_000,
  hints: {
    paths: { search: `${PATH}?resultType=json`, entity: `${PATH}?resultType=json&crno={id}` },
    key_header: 'Authorization: Infuser {key}',
  },
  credential: (key) => ['authorization', `Infuser ${key}`],
  unauthorized: gateway(403, 'SERVICE_KEY_IS_NOT_REGISTERED_ERROR', '30'),
  record({ index, name, town, date }) {
    const id = digits(index, 13, 22);
    const item = {
      crno: id,
      corpNm: name,
      corpEnsnNm: '',
      enpPbanCmpyNm: name,
      enpRprFnm: '김민준',
      bzno: digits(index, 10, 23),
      enpBsadr: `서울특별시 ${town}구 중앙로 ${index + 1}`,
      enpEstbDt: date.replaceAll('-', ''),
      enpEmpeCnt: String(index % 90),
      smenpYn: 'Y',
      fssCorpUnqNo: digits(index, 8, 24),
    };
    return { id, name, item };
  },
  notFound: gateway(404, 'NO_OPENAPI_SERVICE_ERROR', '12'),
  reply({ path, params, rows, cap }) {
    if (path !== PATH) return null;
    const page = whole(params, 'pageNo', 1);
    const size = whole(params, 'numOfRows', 10);
    const number = params.get('crno');
    const name = params.get('corpNm') ?? '';
    const isJson = params.get('resultType') === 'json';
    if (!(page >= 1 && size >= 1 && size <= 1000)) {
      return envelope(isJson, '10', 'INVALID_REQUEST_PARAMETER_ERROR', {
        numOfRows: 0,
        pageNo: 0,
        totalCount: 0,
      });
    }
    const found = rows
      .filter(({ id }) => number === null || id === number)
      .filter((corporation) => corporation.name.includes(name.trim()));
    const shown = found.slice(0, cap).slice((page - 1) * size, page * size);
    return envelope(isJson, '00', 'NORMAL SERVICE.', {
      numOfRows: size,
      pageNo: page,
      totalCount: found.length,
      items: shown.length === 0 ? '' : { item: shown.map(({ item }) => item) },
    });
  },
});

function envelope(
  isJson: boolean,
  resultCode: string,
  resultMsg: string,
  body: Readonly<Record<string, unknown>>,
): Reply {
  if (isJson) return { body: { response: { header: { resultCode, resultMsg }, body } } };
  const header = `<header><resultCode>${resultCode}</resultCode><resultMsg>${resultMsg}</resultMsg></header>`;
  const total = `<body><totalCount>${body.totalCount}</totalCount></body>`;
  return {
    headers: { 'content-type': 'application/xml' },
    body: `<response>${header}${total}</response>`,
  };
}

function gateway(status: number, message: string, reason: string): Reply {
  const header = `<errMsg>SERVICE ERROR</errMsg><returnAuthMsg>${message}</returnAuthMsg><returnReasonCode>${reason}</returnReasonCode>`;
  const body = `<OpenAPI_ServiceResponse><cmmMsgHeader>${header}</cmmMsgHeader></OpenAPI_ServiceResponse>`;
  return { status, headers: { 'content-type': 'application/xml' }, body };
}
