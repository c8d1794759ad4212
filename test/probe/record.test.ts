import { describe, expect, it } from 'vitest';
import { findRecord } from '../../src/probe/record.ts';
import { searchExchange } from '../support/probe_exchanges.ts';

const company = {
  id: '00185647',
  name: 'Example Holdings PLC',
  idInList: '/company_number',
  nameInList: '/title',
};

describe('a record', () => {
  it.each([
    [
      { company_number: '00185647', company_name: 'Example Holdings PLC' },
      '',
      '/company_number',
      '/company_name',
    ],
    [
      { data: { id: '00185647', attributes: { name: 'Example Holdings PLC' } } },
      '/data',
      '/id',
      '/attributes/name',
    ],
    [
      { api_version: '2', results: { company: { number: '00185647', name: 'Example Holdings PLC' } } },
      '/results/company',
      '/number',
      '/name',
    ],
    [
      { id: '00185647', legal: { name: 'Example Holdings PLC' }, address: { city: 'London' } },
      '',
      '/id',
      '/legal/name',
    ],
    [{ key: '/companies/00185647', name: 'Example Holdings PLC' }, '', '/key', '/name'],
  ])('a record is found in %j', (body, root, id, name) => {
    expect(findRecord(searchExchange(body), company)).toMatchObject({
      value: { root, id, name },
      certainty: 'sure',
    });
  });

  it('the id at its path in the list is preferred to a deeper one that only some records have', () => {
    const legal = { company_number: '00185647', name: 'Example Holdings PLC' };
    expect(
      findRecord(searchExchange({ company_number: '00185647', content: { legal } }), company),
    ).toMatchObject({
      value: { root: '', id: '/company_number', name: '/content/legal/name' },
    });
  });

  it('the key of a record is no part of the path to its id', () => {
    const records = { '00185647': { company_number: '00185647', title: 'Example Holdings PLC' } };
    // A body can repeat the id of its only record.
    for (const others of [{ credits: { left: 9 } }, { company_number: '00185647' }])
      expect(findRecord(searchExchange({ ...others, records }), company)).toMatchObject({
        value: { root: '/records/{id}', id: '/company_number', name: '/title' },
      });
  });

  it('the key of a record can end with its id', () => {
    const documents = {
      D00185647: { company_number: '00185647', title: 'Example Holdings PLC' },
      facets: {},
    };
    expect(findRecord(searchExchange({ documents }), company)).toMatchObject({
      value: { root: '/documents/D{id}', id: '/company_number', name: '/title' },
    });
  });

  it('the name of a record is found without the place that the list adds', () => {
    const listed = { ...company, name: 'Example Holdings PLC (Postcode: IM4 8QT)' };
    const body = { company_number: '00185647', organisation_name: 'Example Holdings PLC' };
    expect(findRecord(searchExchange(body), listed)).toMatchObject({
      value: { name: '/organisation_name' },
      certainty: 'likely',
    });
  });

  it('an id of two values is at the same paths in the record', () => {
    const listed = { ...company, id: 'im/17', idInList: '{/code}/{/number}' };
    const body = { results: { company: { code: 'im', number: '17', title: 'Example Holdings PLC' } } };
    expect(findRecord(searchExchange(body), listed)).toMatchObject({
      value: { root: '/results/company', id: '{/code}/{/number}', name: '/title' },
    });
  });

  it.each([
    ['00185647', '185647'],
    ['GB-1C', 'gb-1c'],
  ])('the id %s in a record is the id %s of the row', (inRecord, id) => {
    const body = { number: inRecord, title: 'Smith &amp; Co' };
    expect(findRecord(searchExchange(body), { ...company, id, name: 'Smith & Co' })).toMatchObject({
      value: { id: '/number', name: '/title' },
      certainty: 'sure',
    });
  });

  it("another company's record is rejected", () => {
    expect(findRecord(searchExchange({ id: '1', name: 'Other' }), company).value).toBeNull();
  });
});
