export interface UntidyList {
  readonly text: string;
  readonly valid: readonly string[];
  readonly unknown: readonly string[];
  readonly blanks: number;
  readonly duplicates: number;
}

/** A CSV file as spreadsheets write it, with a byte order mark, CRLF, quotes, blanks, duplicates and unknown ids. */
export function untidyList(ids: readonly string[]): UntidyList {
  const unknown: string[] = [];
  const lines = ['name;Company Number;since'];
  let blanks = 0;
  let duplicates = 0;
  ids.forEach((id, at) => {
    lines.push(at % 3 === 0 ? `"Smith; ""Sons"" ${at}";"${id}";1999` : `Company ${at};${id} ;`);
    if (at % 10 === 1) {
      lines.push(`again;${id};`);
      duplicates++;
    }
    if (at % 25 === 2) {
      lines.push('nothing here;;');
      blanks++;
    }
    if (at % 50 === 3) {
      unknown.push(`ZZ-unknown-${at}`);
      lines.push(`unknown;ZZ-unknown-${at};`);
    }
  });
  return { text: `\ufeff${lines.join('\r\n')}\r\n`, valid: [...ids], unknown, blanks, duplicates };
}
