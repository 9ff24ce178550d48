import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { catalogue } from '../catalogue.ts';
import { newId } from '../ids.ts';
import { newToken } from '../random-token.ts';
import { loggedPath, loggedUnknownPath } from './logged-path.ts';

const { token } = newToken();

test('the path of a route keeps its ids, and loses its query', () => {
  const url = `/support/v1/sandbox/partners/${newId('par', 1)}`;
  const routeOptions = { url: '/support/v1/:environment/partners/:id' };
  expect(loggedPath({ url: `${url}?q=Ann`, routeOptions })).toBe(url);
});

test('a route with a secret is its pattern', () => {
  const routeOptions = { url: '/enter/:environment/:token' };
  expect(loggedPath({ url: `/enter/sandbox/${token}`, routeOptions })).toBe(routeOptions.url);
});

test('without a route, what may be a secret is left out', () => {
  const url = `/enter/sandbox/${token}?a=b`;
  expect(loggedPath({ url, routeOptions: {} })).toBe('/enter/sandbox/…');
});

test.each([token, `${token}/x`, encodeURIComponent(`/${token}`), randomUUID()])(
  'an unknown path loses %s',
  (secret) => {
    expect(loggedUnknownPath(`/x/${secret}`)).toMatch(/^\/x\/…(?:\/x)?$/);
  },
);

test('an unknown path keeps ids and whatever is as short as the names of endpoints', () => {
  for (const path of [`/x/${newId('par', 1)}`, ...catalogue.map(({ endpoint }) => endpoint)]) {
    expect(loggedUnknownPath(path)).toBe(path);
  }
});
