import { defaultProfile } from '../api/api_profile.ts';
import { endpointsOf, type UpstreamAddress } from '../dialect/request.ts';
import { constantParts, parametersIn } from '../dialect/url_template.ts';

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
    { template: entity.slice(origin.length), served: paths.entity },
    ...(stats === null ? [] : [{ template: stats.pathname + stats.search, served: paths.stats }]),
    { template: search.slice(origin.length), served: paths.search },
  ]
    .filter(({ template, served }) => template !== served)
    // A path with more constant parameters is more specific.
    .sort((a, b) => constantParts(b.template).length - constantParts(a.template).length);
  return (url) => {
    for (const { template, served } of resources) {
      const found = parametersIn(template, url);
      if (found === null) continue;
      const { id, ...parameters } = found.named;
      if (served.includes('{id}') && id === undefined) continue;
      const path = served.replace('{id}', () => encodeURIComponent(id ?? ''));
      const query = new URLSearchParams([...Object.entries(parameters), ...found.others]).toString();
      return query === '' ? path : `${path}?${query}`;
    }
    return url;
  };
}
