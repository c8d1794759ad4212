/** The columns of the full-text index beside the name. Each text appears once, on a line of its own. */
export function searchText(
  entityId: string,
  formerNames: readonly string[],
  identifiers: readonly string[],
): { formerNames: string | null; identifiers: string } {
  return {
    formerNames: formerNames.length === 0 ? null : linesOf(formerNames),
    identifiers: identifiers.length === 0 ? entityId : linesOf([entityId, ...identifiers]),
  };
}

function linesOf(texts: readonly string[]): string {
  return [...new Set(texts)].join('\n');
}
