import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { replyHeadersToPass, requestHeadersToPass } from './end-to-end-headers.ts';

const name = fc.stringMatching(/^[A-Za-z0-9-]{1,12}$/);
const raw = fc
  .array(fc.tuple(fc.oneof(name, fc.constantFrom('Connection', 'TE', 'Upgrade')), fc.string()))
  .map((pairs) => pairs.flat());

describe('a forwarded header', () => {
  test('keeps its order, case and repetitions', () => {
    const headers = ['B', '1', 'a', '2', 'B', '3', 'Set-Cookie', 'x', 'set-cookie', 'y'];
    expect(requestHeadersToPass(headers, false)).toEqual(headers);
    expect(replyHeadersToPass(headers)).toEqual(headers);
  });

  test('was received, and is not a hop-by-hop header', () => {
    fc.assert(
      fc.property(raw, (headers) => {
        for (const passed of [requestHeadersToPass(headers, true), replyHeadersToPass(headers)]) {
          const came = pairs(headers);
          let place = -1;
          for (const pair of pairs(passed)) {
            place = came.findIndex((other, i) => i > place && String(other) === String(pair));
            expect(place).toBeGreaterThanOrEqual(0);
            expect(pair[0].toLowerCase()).not.toMatch(/^(connection|te|upgrade)$/);
          }
        }
      }),
    );
  });
});

describe('not forwarded are', () => {
  test('headers that any Connection header names, in any case', () => {
    const headers = [
      'connection',
      'Close, X-One',
      'CONNECTION',
      ' x-two ,,',
      'X-ONE',
      '1',
      'X-Two',
      '2',
      'X-Three',
      '3',
    ];
    expect(requestHeadersToPass(headers, false)).toEqual(['X-Three', '3']);
    expect(replyHeadersToPass(headers)).toEqual(['X-Three', '3']);
  });

  test('headers that Connection names, except the length', () => {
    const headers = ['Connection', 'Content-Length', 'Content-Length', '3'];
    expect(requestHeadersToPass(headers, false)).toEqual(['Content-Length', '3']);
  });

  test('headers that only Bellhop may set', () => {
    for (const spoofed of [
      'Authorization',
      'X-Bellhop-Key-Id',
      'x-bellhop-anything',
      'X_Bellhop_Key_Id',
      'Forwarded',
      'X-Forwarded-For',
      'X-Real-IP',
      'X_Forwarded_For',
      'X-Forwarded-User',
      'Transfer_Encoding',
      'X_Request_Id',
      'X-Request-ID',
      'Host',
      'Expect',
      'True-Client-IP',
      'X-Original-URL',
      'X-Rewrite-Url',
    ]) {
      expect(requestHeadersToPass([spoofed, 'x'], true)).toEqual([]);
    }
  });

  test('Proxy, and any name with an underscore', () => {
    for (const name of ['Proxy', 'PROXY', 'X_Own', 'Content_Type', '_', 'X-Debug_Mode']) {
      expect(requestHeadersToPass([name, 'x'], true)).toEqual([]);
    }
    // The booking core's own headers are trusted.
    expect(replyHeadersToPass(['X_Own', 'x'])).toEqual(['X_Own', 'x']);
  });

  test('X-Debug-Mode, unless it is allowed', () => {
    expect(requestHeadersToPass(['X-Debug-Mode', 'on'], false)).toEqual([]);
    expect(requestHeadersToPass(['X_Debug_Mode', 'on'], false)).toEqual([]);
    expect(requestHeadersToPass(['X-Debug-Mode', 'on'], true)).toEqual(['X-Debug-Mode', 'on']);
  });

  test("the upstream's own limits and request id", () => {
    const headers = [
      'X-RateLimit-Remaining',
      '1',
      'RateLimit',
      '1',
      'ratelimit-policy',
      '1',
      'X-Request-Id',
      '1',
    ];
    expect(replyHeadersToPass(headers)).toEqual([]);
  });
});

function pairs(flat: readonly string[]): [string, string][] {
  return Array.from({ length: flat.length / 2 }, (_, i) => [
    flat[i * 2] as string,
    flat[i * 2 + 1] as string,
  ]);
}
