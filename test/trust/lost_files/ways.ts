import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import Sqlite from 'better-sqlite3';
import { Ledger } from '../../../src/allowance/ledger.ts';
import { allowanceOf } from '../../support/ledger.ts';

/** A mirror's files, with older copies of the ledger and the warehouse. */
export interface Files {
  readonly ledger: string;
  readonly olderLedger: string;
  readonly warehouse: string;
  readonly olderWarehouse: string;
}

/** The ways to lose a file, each of which is tried between runs and during runs. */
export const WAYS = {
  'ledger deleted': ({ ledger }) => remove(ledger, '', '-journal'),
  'ledger deleted, its journal kept': ({ ledger }) => remove(ledger, ''),
  'ledger emptied': ({ ledger }) => truncateSync(ledger),
  'ledger emptied, its journal deleted': ({ ledger }) => {
    remove(ledger, '-journal');
    truncateSync(ledger);
  },
  'ledger truncated to one page': ({ ledger }) => truncateSync(ledger, 4096),
  'ledger truncated within a page': ({ ledger }) => truncateSync(ledger, 6000),
  'ledger replaced by an older copy': ({ ledger, olderLedger }) => {
    copyFileSync(olderLedger, `${ledger}.copy`);
    remove(ledger, '-journal');
    renameSync(`${ledger}.copy`, ledger);
  },
  'ledger overwritten with an older copy': ({ ledger, olderLedger }) => {
    remove(ledger, '-journal');
    copyFileSync(olderLedger, ledger);
  },
  'ledger renamed': ({ ledger }) => renameSync(ledger, `${ledger}.renamed`),
  'ledger copied and renamed back': ({ ledger }) => {
    copyFileSync(ledger, `${ledger}.copy`);
    renameSync(`${ledger}.copy`, ledger);
  },
  "ledger's folder deleted": ({ ledger }) => rmSync(dirname(ledger), { recursive: true }),
  "ledger's folder renamed": ({ ledger }) => renameSync(dirname(ledger), `${dirname(ledger)}-renamed`),
  "ledger's journal deleted": ({ ledger }) => remove(ledger, '-journal'),
  "ledger's journal emptied": ({ ledger }) => {
    if (existsSync(`${ledger}-journal`)) truncateSync(`${ledger}-journal`);
  },
  'ledger replaced by another SQLite file': ({ ledger }) => {
    remove(ledger, '', '-journal');
    new Sqlite(ledger).exec('CREATE TABLE other (x)').close();
  },
  'ledger replaced by a text file': ({ ledger }) => writeFileSync(ledger, 'no database '.repeat(500)),
  'ledger replaced by a new ledger': ({ ledger }) => {
    remove(ledger, '', '-journal');
    new Ledger({ path: ledger, accountId: 'main', allowance: allowanceOf({}) }).close();
  },
  'ledger replaced by a link to an older copy': ({ ledger, olderLedger }) => {
    remove(ledger, '', '-journal');
    symlinkSync(olderLedger, ledger);
  },
  'ledger replaced by a folder': ({ ledger }) => {
    remove(ledger, '', '-journal');
    mkdirSync(ledger);
  },
  'warehouse deleted': ({ warehouse }) => remove(warehouse, '', '-wal', '-shm'),
  'warehouse deleted, its WAL kept': ({ warehouse }) => remove(warehouse, ''),
  'warehouse emptied': ({ warehouse }) => truncateSync(warehouse),
  'warehouse renamed': ({ warehouse }) => renameSync(warehouse, `${warehouse}.renamed`),
  'warehouse replaced by an older copy': ({ warehouse, olderWarehouse }) => {
    remove(warehouse, '', '-wal', '-shm');
    cpSync(olderWarehouse, warehouse);
  },
  "warehouse's WAL deleted": ({ warehouse }) => remove(warehouse, '-wal'),
} as const satisfies Record<string, (files: Files) => void>;

export type Way = keyof typeof WAYS;

function remove(path: string, ...ends: string[]): void {
  for (const end of ends) rmSync(path + end, { force: true });
}
