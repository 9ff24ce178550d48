/** What browsers say about where a request comes from. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { createOwnPages } from '../../src/office/own-pages.ts';
import { Problem } from '../../src/resources/problem.ts';
import { parser } from '../target.ts';

const ownPages = createOwnPages([]);

/** Origin, Host and Sec-Fetch-Site, a line each. */
export const origin = parser('origin', {
  words: [
    'https://',
    'http://',
    'null',
    'console.example',
    ':443',
    ':80',
    '@',
    '/',
    '\n',
    'same-origin',
    'cross-site',
    '[::1]',
  ],
  shapes: fc.tuple(fc.webUrl(), fc.domain()).map(([url, host]) => `${url}\n${host}`),
  check(input) {
    const [from, host, site] = input.toString('latin1').split('\n');
    const request = {
      headers: { origin: from, host, ...(site && { 'sec-fetch-site': site }) },
      socket: { remoteAddress: '192.0.2.1' },
    };
    try {
      ownPages.checkOrigin(request);
    } catch (error) {
      assert.ok(error instanceof Problem && error.code === 'csrf', `threw ${error}`);
      return;
    }
    assert.ok(!site || site === 'same-origin', `let a page of ${site} through`);
    if (from === undefined) return;
    const named = URL.parse(from)?.hostname;
    assert.ok(named, 'let a page without a host through');
    assert.equal(
      URL.parse(`https://${host}`)?.hostname,
      named,
      'let a page of another host through',
    );
  },
});
