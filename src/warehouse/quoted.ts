/** Quotes an SQL identifier. All identifiers are quoted, because they can include payload keys. */
export function quoted(identifier: string): string {
  return `"${identifier.replaceAll('"', '""')}"`;
}
