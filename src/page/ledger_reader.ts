import type { Ledger } from '../allowance/ledger.ts';
import { LostFileError } from '../sqlite/file_check.ts';

/** Reads a ledger. If the file was deleted or replaced, opens the file that is now at its path. */
export interface LedgerReader {
  read<T>(use: (ledger: Ledger) => T): T;
  close(): void;
}

export function openLedgerReader(open: () => Ledger): LedgerReader {
  let ledger: Ledger | null = null;
  const close = () => {
    ledger?.close();
    ledger = null;
  };
  return {
    read(use) {
      try {
        ledger ??= open();
        // Throws if the file at this path is no longer the open file.
        ledger.mark();
      } catch (error) {
        close();
        if (!(error instanceof LostFileError)) throw error;
        ledger = open();
      }
      return use(ledger);
    },
    close,
  };
}
