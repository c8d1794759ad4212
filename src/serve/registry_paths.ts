import { defaultProfile } from '../api/api_profile.ts';
import { endpointsOf, type UpstreamAddress } from '../dialect/request.ts';
import { textIn } from '../dialect/template.ts';

/**
 * Returns a function that converts a URL of the registry's API to the default path for the same resource. It returns
 * other URLs unchanged. Constant parameters in the registry's paths must be present, because they can be the only
 * difference between two resources: `/api?action=search` and `/api?action=entity&id=7`.
 */
export function registryPaths(upstream: UpstreamAddress): (url: string) => string {
  const { origin } = new URL(upstream.base_url);
  const { search, stats, entity } = endpointsOf(upstream);
  const { paths } = defaultProfile;
  const resources = [
    { path: entity.slice(origin.length), served: paths.entity },
    ...(stats === null ? [] : [{ path: stats.pathname + stats.search, served: paths.stats }]),
    { path: search.pathname + search.search, served: paths.search },
  ]
    .filter(({ path, served }) => path !== served)
    .map(({ path, served }) => ({ form: formOf(path), served }))
    // A path with more constant parameters is more specific.
    .sort((a, b) => b.form.parameters.length - a.form.parameters.length);
  return (url) => {
    for (const { form, served } of resources) {
      const found = read(form, url);
      if (found === null) continue;
      const path = served.replace('{id}', () => encodeURIComponent(found.id));
      return found.others === '' ? path : `${path}?${found.others}`;
    }
    return url;
  };
}

/** The form of a URL. Each part is constant or contains `{id}`. */
interface Form {
  readonly path: string;
  readonly parameters: readonly (readonly [name: string, value: string])[];
}

function formOf(template: string): Form {
  const [path = '', query = ''] = template.split('?');
  return { path, parameters: [...new URLSearchParams(query)] };
}

/** Returns the id in a URL ('' if the form has none) and all parameters that the form lacks, or null for other URLs. */
function read(
  { path, parameters }: Form,
  url: string,
): { readonly id: string; readonly others: string } | null {
  const [ownPath = '', query = ''] = url.split('?');
  const others = new URLSearchParams(query);
  const ids = [partOf(path, ownPath, decodeURIComponent)];
  for (const [name, value] of parameters) {
    const own = others.get(name);
    ids.push(own === null ? null : partOf(value, own, (text) => text));
    others.delete(name);
  }
  return ids.includes(null) ? null : { id: ids.join(''), others: others.toString() };
}

/** Returns the id in a part of a URL, '' if the part is constant, or null if it differs. */
function partOf(template: string, own: string, decode: (text: string) => string): string | null {
  if (template.includes('{id')) return textIn(template, 'id', own, decode);
  return own === template ? '' : null;
}
