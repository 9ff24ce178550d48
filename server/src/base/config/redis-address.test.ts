import { describe, expect, test } from 'vitest';
import { type RedisAddress, redisAddress, redisUrl } from './redis-address.ts';
import { BadValue } from './values.ts';

const NOBODY = { username: '', password: '' };

describe('the address of a Redis', () => {
  test.each<[string, Partial<RedisAddress>]>([
    ['redis://cache', { isEncrypted: false, user: NOBODY, database: 0, at: at('cache', 6379) }],
    ['redis://cache:6380/', { database: 0, at: at('cache', 6380) }],
    [
      'rediss://user:p%40ss%25@cache.example/15',
      {
        isEncrypted: true,
        user: { username: 'user', password: 'p@ss%' },
        database: 15,
        at: at('cache.example', 6379),
      },
    ],
    [
      'redis://:password@[::1]:6379/0',
      { user: { username: '', password: 'password' }, at: at('::1', 6379) },
    ],
    [
      'redis+sentinel://user:secret@one,two:26380,[::1]/limits',
      {
        isEncrypted: false,
        user: { username: 'user', password: 'secret' },
        database: 0,
        at: {
          kind: 'sentinel',
          sentinels: [
            { host: 'one', port: 26379 },
            { host: 'two', port: 26380 },
            { host: '::1', port: 26379 },
          ],
          primaryName: 'limits',
          sentinelUser: NOBODY,
        },
      },
    ],
    [
      'rediss+sentinel://one/my%20limits?database=3&sentinel_user=watch&sentinel_password=a%26b',
      {
        isEncrypted: true,
        user: NOBODY,
        database: 3,
        at: {
          kind: 'sentinel',
          sentinels: [{ host: 'one', port: 26379 }],
          primaryName: 'my limits',
          sentinelUser: { username: 'watch', password: 'a&b' },
        },
      },
    ],
    [
      'rediss+cluster://user:secret@one:7000,two',
      {
        isEncrypted: true,
        user: { username: 'user', password: 'secret' },
        database: 0,
        at: {
          kind: 'cluster',
          nodes: [
            { host: 'one', port: 7000 },
            { host: 'two', port: 6379 },
          ],
        },
      },
    ],
  ])('is %s', (text, address) => {
    expect(redisUrl(text)).toBe(text);
    expect(redisAddress(text)).toMatchObject(address);
  });

  test.each([
    ['redis://cache/limits', 'the number of a database'],
    ['redis://cache/1/2', 'the number of a database'],
    ['redis://cache?ssl=true', 'the number of a database'],
    ['redis://cache#3', 'the number of a database'],
    ['redis://:hunter%2@cache', 'written as %25'],
    ['redis://hunter%2:5b@cache', 'written as %25'],
    ['http://:hunter2@cache', 'must begin with redis://…'],
    ['redis+proxy://:hunter2@cache', 'must begin with redis://…'],
    ['redis://', 'must name a host'],
    ['redis://hunter2@one,two:1', 'must name one host'],
    ['redis+cluster://:hunter2@one:1,', 'a host or a port that cannot be'],
    ['redis+cluster://one,,two', 'must name a host'],
    ['redis+cluster://:hunter2@one:port', 'a host or a port that cannot be'],
    ['redis+cluster://:hunter2@one/1', 'a cluster has no databases'],
    ['redis+cluster://:hunter2@one?database=1', 'the number of a database'],
    ['redis+sentinel://:hunter2@one,two', 'the name that the Sentinels have for the primary'],
    ['redis+sentinel://:hunter2@one/limits/1', 'the name that the Sentinels have'],
    [
      'redis+sentinel://one/limits?sentinel_pasword=hunter2',
      'may only have database, sentinel_user',
    ],
    ['redis+sentinel://:hunter2@one/limits?database=x', 'the number of a database'],
  ])('is not %j, and the message does not reveal the password', (text, reason) => {
    expect(() => redisUrl(text)).toThrow(BadValue);
    expect(() => redisUrl(text)).toThrow(reason);
    expect(() => redisUrl(text)).not.toThrow('hunter');
  });
});

function at(host: string, port: number): RedisAddress['at'] {
  return { kind: 'server', server: { host, port } };
}
