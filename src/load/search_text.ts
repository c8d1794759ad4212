/** What the search index has of a company, beside its name: each text once, on a line of its own. */
export function searchText(entityId: string, formerNames: readonly string[], identifiers: readonly string[]) {
  return {
    formerNames: formerNames.length === 0 ? null : [...new Set(formerNames)].join('\n'),
    identifiers: [...new Set([entityId, ...identifiers])].join('\n'),
  };
}
