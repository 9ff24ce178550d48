/** All endpoints begin alike; what differs is what people look for. */
const COMMON = 'api/b2b/v3/';

export function shortPath(endpoint: string): string {
  return endpoint.startsWith(COMMON) ? endpoint.slice(COMMON.length) : endpoint;
}
