import { catalogue } from '../catalogue.ts';

/** Request path → the catalogue's spelling; with and without the trailing slash, and nothing else. */
const byPath = new Map(
  catalogue.flatMap(({ endpoint }) => [
    [`/${endpoint}`, endpoint],
    [`/${endpoint.slice(0, -1)}`, endpoint],
  ]),
);

export function endpointAt(path: string): string | undefined {
  return byPath.get(path);
}
