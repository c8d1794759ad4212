import type { Pointer } from '../../dialect/dialect.ts';
import { isJsonObject, type Json } from '../../json/json.ts';
import { valueAt } from '../../json/pointer.ts';
import type { Specification } from '../beliefs.ts';
import { isNumber, leavesOf, listsIn, textAt } from '../bodies.ts';
import { type Exchange, type Finding, likely, open, sure } from '../exchange.ts';
import { findRecord, type RecordPaths } from '../record.ts';
import { idCandidates, isInList, itemOf, nameCandidates, relativeTo } from '../rows.ts';
import { findRegistryTotal, totalScore } from '../total.ts';
import { findAddresses, findKeyHeader } from './addresses.ts';
import { openDocument } from './document.ts';
import { type DescribedSearch, findOperations, fixedParameters, variablesIn } from './operations.ts';
import {
  findIdentifierParam,
  findMaxSize,
  findMinLength,
  findPaging,
  findQueryParam,
  findSizeParam,
  lastKeyOf,
  plain,
} from './parameters.ts';
import type { Described } from './sample.ts';

/**
 * Reads a parsed OpenAPI document. Returns null if it is not an OpenAPI document. `baseUrl` is the API's configured
 * address.
 */
export function readSpecification(parsed: unknown, baseUrl: string): Specification | null {
  const document = openDocument(parsed, baseUrl);
  if (document === null) return null;
  const { search, entity, stats } = findOperations(document);
  const parameters = search.value?.operation.parameters ?? [];
  const queryParam = findQueryParam(parameters);
  const size = findSizeParam(parameters);
  const list = listFindings(search.value, entity.value);
  const extra = Object.fromEntries(fixedParameters(parameters, [queryParam.value, size.value]));
  const idKeys = [...variablesIn(entity.value?.operation.path ?? ''), lastKeyOf(list.id.value ?? '')];
  const addresses = findAddresses(document, { search, entity, stats }, { baseUrl, extra });
  return {
    title: document.title,
    addresses,
    recordPath:
      addresses.value === null ? open(null, addresses.because) : { ...entity, value: addresses.value.entity },
    keyHeader: findKeyHeader(document),
    queryParam: named(queryParam),
    minLength: findMinLength(queryParam.value),
    identifierParam: findIdentifierParam(parameters, queryParam.value?.name ?? null, idKeys),
    extra,
    sizeParam: named(size),
    maxSize: findMaxSize(size.value),
    paging: search.value === null ? open(null, 'no search') : findPaging(search.value),
    ...list,
    record: entity.value === null ? open(null, entity.because) : recordFinding(entity.value, list),
    registryTotal: totalOf(stats.value),
  };
}

function named<T extends { readonly name: string }>({
  value,
  ...finding
}: Finding<T | null>): Finding<string | null> {
  return { ...finding, value: value?.name ?? null };
}

/** The score of a path whose keys do not look like a name. */
const NAMED = 9;

type ListFindings = Pick<Specification, 'results' | 'item' | 'id' | 'name' | 'total'>;

function listFindings(search: DescribedSearch | null, entity: Described | null): ListFindings {
  const listing = search?.listing ?? null;
  if (search === null || listing === null) {
    const none = open(null, 'the document describes no list of results');
    return { results: none, item: '', id: none, name: none, total: none };
  }
  const variables = variablesIn(entity?.operation.path ?? '').map(plain);
  const same = listing.ids.find(({ pointer }) => variables.includes(plain(lastKeyOf(pointer))));
  const id = same ?? listing.ids[0];
  // A sample has one element in each inner list, so it does not show how to select one.
  const [name] = listing.names.filter(({ pointer }) => !isInList(pointer));
  const item = id === undefined ? '' : itemOf(listing.rows, id.pointer, name?.pointer ?? null);
  const inItem = (pointer: Pointer) => relativeTo(item, pointer);
  return {
    results: sure(listing.results, 'the schema of the search has this list'),
    item,
    id:
      id === undefined
        ? open(null, 'no value in the results looks like an id')
        : same !== undefined
          ? sure(inItem(id.pointer), 'the record path uses the same name')
          : likely(inItem(id.pointer), 'its key looks like an id'),
    name:
      name === undefined || name.score <= NAMED
        ? open(null, 'no key in the results looks like a name')
        : likely(inItem(name.pointer), 'its key looks like a name'),
    total: totalFinding(search.response),
  };
}

function totalFinding({ json }: Exchange): Finding<Pointer | null> {
  const [best] = leavesOf(json ?? null)
    .filter(({ value }) => isNumber(value))
    .map(({ pointer }) => ({ pointer, score: totalScore(pointer) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score);
  if (best === undefined) return open(null, 'the schema has no number of matches');
  return likely(best.pointer, 'its key looks like a total');
}

/**
 * Finds the record in the entity operation's response. The id in the record has the same name as the path variable, or
 * as the id in the search results.
 */
function recordFinding({ operation, response }: Described, list: ListFindings): Finding<RecordPaths | null> {
  const holder = recordHolder(response.json);
  if (holder === null) return open(null, `the document describes no record for ${operation.path}`);
  const { root, record } = holder;
  const keys = [...variablesIn(operation.path), lastKeyOf(list.id.value ?? '')]
    .map(plain)
    .filter((key) => key !== '');
  const leaves = leavesOf(record);
  const isKey = ({ pointer }: { pointer: Pointer }) => keys.includes(plain(lastKeyOf(pointer)));
  const id = leaves.find(isKey)?.pointer ?? idCandidates([record], null, null)[0]?.pointer;
  if (id === undefined) return open(null, 'the record has no value that looks like an id');
  const names = nameCandidates([record]).filter(({ pointer }) => !isInList(pointer));
  const sameName = names.find(({ pointer }) => lastKeyOf(pointer) === lastKeyOf(list.name.value ?? ''));
  const best = sameName ?? names.find(({ score }) => score > NAMED);
  const name = best?.pointer ?? null;
  const exchange = { ...response, json: record };
  const company = {
    id: textAt(record, id) ?? '',
    name: name === null ? null : textAt(record, name),
    ...{ idInList: list.id.value ?? id, nameInList: list.name.value },
  };
  const found = findRecord(exchange, company).value;
  return found === null
    ? open(null, 'the record has no value that looks like an id')
    : likely({ ...found, root: `${root}${found.root}` }, `the schema of ${operation.path} has these keys`);
}

/** Returns the object that contains the record: the body itself, or the first element of its only list. */
function recordHolder(json: Json | undefined) {
  if (json === undefined) return null;
  const arrays = listsIn(json).filter(({ list }) => isJsonObject(list[0]));
  const isObject = isJsonObject(json);
  if (isObject && (idCandidates([json], null, null)[0]?.score ?? 0) > 3) return { root: '', record: json };
  const [only] = arrays;
  const record = only === undefined ? undefined : valueAt(json, `${only.pointer}/0`);
  if (isJsonObject(record)) return { root: `${only?.pointer}/0`, record };
  return isObject ? { root: '', record: json } : null;
}

function totalOf(stats: Described | null): Finding<Pointer | null> {
  if (stats?.response.json === undefined) return open(null, 'the document describes no statistics');
  const { value } = findRegistryTotal(stats.response.json, null);
  return value === null
    ? open(null, 'the statistics have no number whose key looks like a count')
    : likely(value, 'its key looks like a count of companies');
}
