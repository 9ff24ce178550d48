import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { newMasterKey } from '../../../testing/settings.ts';
import { parseCidr } from '../addresses/addresses.ts';
import {
  cidrs,
  dateRange,
  duration,
  host,
  issuerUrl,
  listOf,
  masterKey,
  originUrl,
  port,
  positiveDuration,
  proxyUrl,
  retrySchedule,
  roleMap,
  scopes,
  secretToken,
  upstreamUrl,
  url,
} from './values.ts';

const UNITS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const LONGEST_MS = 366 * UNITS.d;

const written = fc
  .record({
    count: fc.nat(400),
    unit: fc.constantFrom(...(Object.keys(UNITS) as (keyof typeof UNITS)[])),
  })
  .filter(({ count, unit }) => count * UNITS[unit] <= LONGEST_MS)
  .map(({ count, unit }) => ({ text: `${count}${unit}`, ms: count * UNITS[unit] }));

describe('a duration', () => {
  test('is a whole number and a unit', () => {
    fc.assert(
      fc.property(written, ({ text, ms }) => {
        expect(duration(text)).toBe(ms);
      }),
    );
  });

  test.each(['', '10', 's', '1.5s', '-1s', '+1s', '10 s', '10S', '1h30m', '1e3s', '٣s'])(
    'is not %j',
    (text) => {
      expect(() => duration(text)).toThrow('must be a time such as 500ms, 10s, 5m, 12h or 90d');
    },
  );

  test('is at most a year', () => {
    expect(duration('366d')).toBe(LONGEST_MS);
    expect(() => duration('367d')).toThrow('must be at most 366d, not "367d"');
    expect(() => duration('999999999d')).toThrow('must be at most 366d');
  });

  test('must be longer than 0 for some settings', () => {
    expect(duration('0s')).toBe(0);
    expect(() => positiveDuration('0s')).toThrow('must be longer than 0');
    expect(positiveDuration('1ms')).toBe(1);
  });
});

describe('a retry schedule', () => {
  test("is the specification's by default: 21 waits, a little over 7 days", () => {
    const waits = retrySchedule('30s,60s,90s,120s,150s,300s,1h,14x12h');
    const seconds = [30, 60, 90, 120, 150, 300, 3_600, ...Array(14).fill(43_200)];
    expect(waits).toEqual(seconds.map((each) => each * 1_000));
    const totalMs = waits.reduce((sum, wait) => sum + wait);
    expect(totalMs - 7 * UNITS.d).toBe((750 + 3_600) * 1_000);
  });

  test('is read as it was written, with and without counts', () => {
    const parts = fc.array(
      fc.record({ wait: written, times: fc.option(fc.integer({ min: 1, max: 20 })) }),
      { minLength: 1, maxLength: 30 },
    );
    const gaps = fc.constantFrom(',', ', ', ' ,');
    fc.assert(
      fc.property(parts, gaps, (list, gap) => {
        const text = list
          .map(({ wait, times }) => (times === null ? wait.text : `${times}x${wait.text}`))
          .join(gap);
        const waits = list.flatMap(({ wait, times }) => Array(times ?? 1).fill(wait.ms));
        expect(retrySchedule(text)).toEqual(waits);
      }),
    );
  });

  test.each([
    ['30s,,60s', 'but "" is neither a wait nor a count of waits'],
    ['30s,', 'but "" is neither a wait nor a count of waits'],
    ['0x30s', 'but "0x30s" is neither a wait nor a count of waits'],
    ['30 s', 'but "30 s" is neither a wait nor a count of waits'],
    ['soon', 'not "soon"'],
    ['3x', 'not "3x"'],
    ['3xx5s', 'not "x5s"'],
    ['30s;60s', 'not "30s;60s"'],
    ['-1x5s', 'not "-1x5s"'],
    ['30s,400d', 'must be at most 366d, not "400d"'],
  ])('is not %j', (text, message) => {
    expect(() => retrySchedule(text)).toThrow(message);
  });

  test('has at most a thousand waits', () => {
    expect(retrySchedule('999x1s,1s')).toHaveLength(1_000);
    expect(() => retrySchedule('1000x1s,1s')).toThrow('must not have more than 1000 waits');
    expect(() => retrySchedule('9999x1s')).toThrow('must not have more than 1000 waits');
  });
});

describe('a port', () => {
  test.each(['0', '1', '8080', '65535'])('is %s', (text) => {
    expect(port(text)).toBe(Number(text));
  });

  test.each(['65536', '-1', '80.5', '0x50', '1e3', 'http', '099999', ''])('is not %j', (text) => {
    expect(() => port(text)).toThrow(`must be a port from 0 to 65535, not "${text}"`);
  });
});

describe('a host', () => {
  test.each([
    ...['127.0.0.1', '0.0.0.0', '::', '::1', 'fe80::1%eth0'],
    ...['localhost', 'bellhop.example.com', 'node-1', '1password.example'],
  ])('is %s', (text) => {
    expect(host(text)).toBe(text);
  });

  test.each([
    ...['http://localhost', 'a b', '-a', 'a/b', '[::1]', 'localhost:80', '*', 'a..b', '.', 'a.-b'],
    ...['256.1.1.1', '1.2.3', '0', 'a.1', '1.2.3.4:80', '224.0.0.1', '255.255.255.255', 'ff02::1'],
    'a'.repeat(254),
  ])('is not %j', (text) => {
    expect(() => host(text)).toThrow(`must be an address or a host name, not "${text}"`);
  });
});

describe('an address of a server', () => {
  const database = url('postgres:', 'postgresql:');

  test.each([
    'postgres://user:pw@db.example/name',
    'postgresql://db/name?sslmode=require',
    'postgres:///name?host=/run/postgresql',
  ])('is %s', (text) => {
    expect(database(text)).toBe(text);
  });

  test.each([
    'db.example',
    'mysql://user:hunter2@db/name',
    'user:hunter2@db/name',
    '//:hunter2@db',
  ])('is not %j, and the message does not reveal the password', (text) => {
    const message = messageOf(() => database(text));
    expect(message).toContain('postgres://… or postgresql://…');
    expect(message).not.toContain('hunter2');
  });
});

describe('the upstream', () => {
  test.each(['http://core:8000', 'https://core.example/base/'])('is %s', (text) => {
    expect(upstreamUrl(text)).toBe(text);
  });

  test.each(['http://user:hunter2@core', 'http://core?a=b', 'http://core/#part'])(
    'is not %j',
    (text) => {
      const message = messageOf(() => upstreamUrl(text));
      expect(message).toBe('must have no user, query or fragment');
    },
  );

  test('must use HTTP', () => {
    expect(() => upstreamUrl('ftp://core')).toThrow('must begin with http://… or https://…');
    expect(() => upstreamUrl('core:8000')).toThrow('must begin with');
    expect(() => upstreamUrl('core')).toThrow('must be an address of the form');
  });
});

describe('a list of CIDRs', () => {
  test('takes addresses and ranges of both families, and ignores spaces', () => {
    const list = cidrs(' 10.0.0.0/8, 192.0.2.7 ,2001:db8::/32,::1, ');
    expect(list.map(([address, bits]) => `${address.toString()}/${bits}`)).toEqual([
      '10.0.0.0/8',
      '192.0.2.7/32',
      '2001:db8::/32',
      '::1/128',
    ]);
    expect(cidrs('')).toEqual([]);
  });

  test.each(['10.0.0.0/33', '10.0.0/8', '10.0.0.0/', '10.0.0.0/8/8', '::/129', 'fe80::1%eth0'])(
    'has no %j',
    (text) => {
      expect(() => cidrs(`127.0.0.1,${text}`)).toThrow(
        `must list addresses or CIDRs such as 10.0.0.0/8, not "${text}"`,
      );
    },
  );

  test('takes every address with every prefix length of its family, and no other', () => {
    fc.assert(
      fc.property(fc.ipV4(), fc.nat(200), (address, bits) => {
        expect(parseCidr(`${address}/${bits}`) !== undefined).toBe(bits <= 32);
      }),
    );
    fc.assert(
      fc.property(fc.ipV6(), fc.nat(200), (address, bits) => {
        expect(parseCidr(`${address}/${bits}`) !== undefined).toBe(bits <= 128);
      }),
    );
  });
});

describe('a list of words', () => {
  const colours = listOf('red', 'green', 'blue');

  test('is sorted as in the table, without duplicates', () => {
    expect(colours('blue, red,blue')).toEqual(['red', 'blue']);
  });

  test.each(['pink', 'red,', 'RED', 'red green'])('is not %j', (text) => {
    expect(() => colours(text)).toThrow('must be red or green or blue, not');
  });
});

describe('a range of dates', () => {
  test('may be a single day', () => {
    expect(dateRange('2024-02-29..2024-02-29')).toEqual({
      from: '2024-02-29',
      until: '2024-02-29',
    });
  });

  test.each([
    '2025-10-01',
    '2025-10-01..',
    '..2025-10-01',
    '2025-12-31..2025-10-01',
    '2025-02-29..2025-03-01',
    '2025-10-01..2025-12-32',
    '2025-10-01...2025-12-31',
    '2025-10-01..2025-11-01..2025-12-31',
    '01.10.2025..31.12.2025',
  ])('is not %j', (text) => {
    expect(() => dateRange(text)).toThrow(
      `must be two dates such as 2025-10-01..2025-12-31, not "${text}"`,
    );
  });
});

describe('the master key', () => {
  test('is any 32 bytes in base64', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), (bytes) => {
        const text = Buffer.from(bytes).toString('base64');
        expect(masterKey(text).equals(bytes)).toBe(true);
        expect(masterKey(text.replace('=', '')).equals(bytes)).toBe(true);
      }),
    );
  });

  test('is nothing else, and the message never repeats it', () => {
    const wrong = [
      randomBytes(31).toString('base64'),
      randomBytes(33).toString('base64'),
      randomBytes(32).toString('hex'),
      `${newMasterKey().slice(0, 20)} ${newMasterKey()}`,
      '!'.repeat(44),
    ];
    for (const text of wrong) {
      expect(messageOf(() => masterKey(text))).toBe(
        'must be 32 bytes in base64, as `openssl rand -base64 32` prints them',
      );
    }
  });
});

describe('a token', () => {
  test('has 16 to 256 visible characters', () => {
    expect(secretToken('x'.repeat(16))).toBe('x'.repeat(16));
    expect(secretToken('~'.repeat(256))).toBe('~'.repeat(256));
    for (const text of ['x'.repeat(15), 'x'.repeat(257), 'sixteen chars ok', 'ü'.repeat(20)]) {
      expect(messageOf(() => secretToken(text))).toBe('must be 16 to 256 visible ASCII characters');
    }
  });
});

function messageOf(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error('It was accepted.');
}

describe('the issuer of OpenID Connect', () => {
  test.each([
    'https://login.example.com',
    'https://login.example.com/realms/travel/',
    'http://localhost:4000',
    'http://127.0.0.1:4000/oidc',
    'http://[::1]:4000',
  ])('may be %s', (text) => {
    expect(issuerUrl(text)).toBe(text);
  });

  test.each([
    ['http://login.example.com', 'must begin with https://'],
    ['http://127.0.0.1.example.com', 'must begin with https://'],
    ['http://localhost.example.com', 'must begin with https://'],
    ['ftp://login.example.com', 'must begin with http://… or https://…'],
    ['https://user:pw@login.example.com', 'must have no user'],
    ['https://login.example.com/?realm=1', 'must have no user, query or fragment'],
    ['https://login.example.com/#1', 'must have no user, query or fragment'],
  ])('cannot be %s', (text, words) => {
    expect(() => issuerUrl(text)).toThrow(words);
  });
});

test('the address of the back office has no path', () => {
  expect(originUrl('https://bellhop.example:8443/')).toBe('https://bellhop.example:8443');
  for (const text of [
    'https://a/b',
    'https://a/?b',
    'https://a/#b',
    'https://u:p@a/',
    'a.example',
  ]) {
    expect(() => originUrl(text)).toThrow('must');
  }
});

test('scopes include openid', () => {
  expect(scopes(' openid, groups  email')).toBe('openid groups email');
  expect(() => scopes('profile')).toThrow('must include the scope openid');
});

describe('a map of roles', () => {
  test('gives a role to each value, which may contain commas and equals signs', () => {
    expect([...roleMap('ops = admin,cn=desk\\,ou=travel=support,all staff=viewer')]).toEqual([
      ['ops', 'admin'],
      ['cn=desk,ou=travel', 'support'],
      ['all staff', 'viewer'],
    ]);
  });

  test.each([
    ['ops', 'but "ops" is not one'],
    ['=admin', 'but "=admin" is not one'],
    ['ops=admin,', 'but "" is not one'],
    ['ops=', 'must be viewer or support or admin, not ""'],
    ['core=orders', 'must be viewer or support or admin, not "orders"'],
    ['ops=Admin', 'must be viewer or support or admin, not "Admin"'],
  ])('cannot be %s', (text, words) => {
    expect(() => roleMap(text)).toThrow(words);
  });
});

describe('a proxy', () => {
  test('has a host, a port, and perhaps a user and a password', () => {
    expect(proxyUrl('http://proxy.internal:3128')).toEqual({
      host: 'proxy.internal',
      port: 3_128,
      authorization: undefined,
    });
    expect(proxyUrl('http://bell:h%40p@[::1]/')).toEqual({
      host: '::1',
      port: 80,
      authorization: `Basic ${btoa('bell:h@p')}`,
    });
  });

  test.each([
    'proxy:3128',
    'https://u:secret@proxy',
    'http://u:secret@proxy/path',
    'http://u:secret@proxy?x',
    'http://u:secret%@proxy',
  ])('is not %s, and the message does not repeat it', (text) => {
    expect(() => proxyUrl(text)).toThrow(/^(?!.*secret)(?:must|has) /);
  });
});
