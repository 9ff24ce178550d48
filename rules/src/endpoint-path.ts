/** What all endpoints of the partner API begin with. */
export const API_ROOT = 'api/b2b/v3/';

/** As people say it: "search/hp/". */
export function pathOf(endpoint: string): string {
  return endpoint.startsWith(API_ROOT) ? endpoint.slice(API_ROOT.length) : endpoint;
}
