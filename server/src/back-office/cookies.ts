import type { BrowserRequest } from './own-pages.ts';

/** All cookies of that name. The library's parser would return the first one and hide the others. */
export function cookiesIn({ headers }: BrowserRequest, name: string): string[] {
  return (headers.cookie ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1));
}
