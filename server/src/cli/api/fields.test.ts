import { readFileSync } from 'node:fs';
import { requestOf } from '@bellhop/support-client/client';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { UsageError } from '../failures.ts';
import { operationHelp, operationList } from './describe.ts';
import { checkBody, checkQuery, readFields } from './fields.ts';
import { findPath, ofMethod, readOperations } from './operations.ts';

const operations = readOperations();

/** As the command reads its words. */
function read(method: string, path: string, ...words: string[]) {
  const found = findPath(operations, path);
  const operation = ofMethod(found, method);
  const input = readFields(operation, words);
  checkQuery(operation, input);
  checkBody(operation, input);
  return { id: operation.id, params: found.params, ...input };
}

test('every operation is found by its path, short or whole', () => {
  expect(operations.all.length).toBeGreaterThan(70);
  for (const { id, method, path, address } of operations.all) {
    // The client that sends it was made from the same document.
    expect(requestOf(id, {} as never)).toMatchObject({
      method,
      path: address.replaceAll(/{\w+}/g, 'undefined'),
    });
    for (const template of [path, address]) {
      const found = findPath(operations, template.replaceAll(/{\w+}/g, 'x1'));
      expect([template, ofMethod(found, method).id]).toEqual([template, id]);
    }
  }
});

test('the list has each operation on one line, and the help each of its fields', () => {
  for (const columns of [80, 120]) {
    const lines = operationList(operations, operations.all, columns).split('\n');
    expect(lines.filter((line) => /^ {2}[A-Z]/.test(line))).toHaveLength(operations.all.length);
    expect(lines.filter((line) => line.length > columns)).toEqual([]);
    for (const operation of operations.all) {
      const help = operationHelp(operation, columns);
      const tooLong = help.split('\n').filter((line) => line.length > columns);
      expect([operation.id, tooLong]).toEqual([operation.id, []]);
      for (const name of Object.keys({ ...operation.query, ...operation.body?.fields })) {
        expect([operation.id, help]).toEqual([operation.id, expect.stringContaining(`  ${name}`)]);
      }
    }
  }
});

test.each([
  [['GET', 'partners', 'limit=5', 'name=a=b'], { query: { limit: 5, name: 'a=b' } }],
  [['GET', 'keys/count'], { id: 'countKeys' }],
  [['GET', 'keys/count/usage'], { id: 'getUsage', params: { key_id: 'count' } }],
  [['GET', 'keys/a%2Fb%25'], { params: { key_id: 'a/b%' } }],
  [['GET', '/support/v1/sandbox/keys/7/'], { params: { environment: 'sandbox', key_id: '7' } }],
  [['PATCH', 'keys/7', 'label=null', 'disabled=false'], { body: { label: null, disabled: false } }],
  [['PATCH', 'keys/7', 'label:="null"'], { body: { label: 'null' } }],
  [['PATCH', 'keys/7', 'label='], { body: { label: '' } }],
  [
    ['PATCH', 'keys/7', 'allowed_ips=127.0.0.1,::1', 'allowed_ips=10.0.0.0/8'],
    { body: { allowed_ips: ['127.0.0.1', '::1', '10.0.0.0/8'] } },
  ],
  [['PATCH', 'keys/7', 'allowed_ips='], { body: { allowed_ips: [] } }],
  [
    ['PATCH', 'keys/7', 'expires_at=2030-01-31'],
    { body: { expires_at: new Date(2030, 0, 31).toISOString() } },
  ],
  [
    ['PATCH', 'midoffices/m', 'headers.X-Site=7', 'headers.__proto__=x', 'headers.a.b=c'],
    { body: { headers: JSON.parse('{"X-Site":"7","__proto__":"x","a.b":"c"}') } },
  ],
  [
    ['PATCH', 'midoffices/m', 'headers:={"a":"b"}', 'headers.c=d'],
    { body: { headers: { a: 'b', c: 'd' } } },
  ],
  [
    ['POST', 'deliveries/bulk', 'action=retry', 'filter.state=exhausted', 'expected=2'],
    { body: { action: 'retry', filter: { state: 'exhausted' }, expected: 2 } },
  ],
  [['POST', 'keys/7/rotation'], { body: undefined }],
  [['POST', 'orders/events', 'events:=[]'], { body: { events: [] } }],
] as [[string, string, ...string[]], object][])('%j', (words, expected) => {
  // As it is sent: what is read has no prototype.
  const { body, ...others } = read(...words);
  const sent = body === undefined ? undefined : JSON.parse(JSON.stringify(body));
  expect({ ...others, query: { ...others.query }, body: sent }).toMatchObject(expected);
});

test('a time can be told from now on', () => {
  const since = Date.parse(`${read('GET', 'calls', 'since=-6h').query.since}`);
  expect(Math.abs(Date.now() - since - 6 * 3_600_000)).toBeLessThan(60_000);
  const { body } = read('PATCH', 'keys/7', 'expires_at=+90d');
  expect(Math.abs(Date.parse(`${body?.expires_at}`) - Date.now() - 90 * 86_400_000)).toBeLessThan(
    60_000,
  );
});

describe('refuses', () => {
  test.each([
    [
      ['GET', 'partner'],
      /^There is no path "partner"\. Did you mean "partners"\? "bellhop api" lists /,
    ],
    [
      ['GET', 'keys/7/usge'],
      /Did you mean "keys\/7\/usage"\? "bellhop api keys" lists what begins so\.$/,
    ],
    [['GET', 'keys/..'], /^There is no path "keys\/\.\."\. "bellhop api keys" /],
    [['DELETE', 'keys/%2e%2e/endpoints', 'endpoint=x'], /^There is no path /],
    [['GET', 'keys//usage'], /^There is no path /],
    [['GET', ''], /^There is no path ""\. "bellhop api" lists all paths\.$/],
    [['GET', 'keys/50%'], /typed as %25\.$/],
    [['POST', 'keys/7'], /^keys\/{key_id} takes GET, PATCH or DELETE, not POST\.$/],
    [['PATCH', 'keys/7'], /^PATCH keys\/{key_id} needs a field\. "bellhop api --help PATCH keys/],
    [['PATCH', 'keys/7', 'disabld=true'], /has no field "disabld"\. Did you mean "disabled"\?/],
    [['PATCH', 'keys/7', '__proto__=1'], /has no field "__proto__"\./],
    [['PATCH', 'keys/7', 'toString=1'], /has no field "toString"\./],
    [['PATCH', 'keys/7', '=1'], /has no field ""\./],
    [['PATCH', 'keys/7', 'label.x=1'], /has no field "label\.x"\./],
    [['PATCH', 'keys/7', 'disabled'], /^"disabled" is not a field\. Write it as name=value\.$/],
    [['PATCH', 'keys/7', 'disabled=yes'], /^disabled must be true or false, not "yes"\.$/],
    [['PATCH', 'keys/7', 'disabled=null'], /^disabled must be true or false, not "null"\.$/],
    [['PATCH', 'keys/7', 'label=a', 'label=b'], /^label is given twice\.$/],
    [['PATCH', 'keys/7', 'label:={'], /^label is not JSON: .* Use label=… for a text\.$/],
    [['PATCH', 'keys/7', 'allowed_ips=a', 'allowed_ips:=[]'], /^allowed_ips is given twice\.$/],
    [['PATCH', 'midoffices/m', 'headers=a'], /^headers must be an object.* headers:='…'\.$/],
    [['PATCH', 'midoffices/m', 'headers:=1', 'headers.a=b'], /^headers\.a is given twice\.$/],
    [['GET', 'partners', 'limit=0'], /^limit must be a whole number from 1 to 200, not "0"\.$/],
    [['GET', 'partners', 'limit=1e2'], /^limit must be a whole number/],
    [['GET', 'deliveries', 'state=lost'], /^state must be pending, .* or unrouted, not "lost"\.$/],
    [
      ['GET', 'deliveries', 'since=6h'],
      /^since must be a time such as 2026-01-31, .* yesterday, -6h or/,
    ],
    [['GET', 'deliveries', 'since=25:00'], /^since must be a time .* not "25:00"/],
    [['GET', 'deliveries', 'since=-6parsecs'], /^since must be a time/],
    [['GET', 'deliveries', 'since=+999999999d'], /^since /],
    [['GET', 'search'], /^GET search needs q: An id, or part of a name\. /],
    [['GET', 'stats', 'limit=1'], /^GET stats has no field "limit"\. /],
    [['GET', 'portal', 'x=1'], /^GET portal has no field "x"\. It takes no fields\.$/],
    [['POST', 'midoffices', 'name=x'], /^POST midoffices needs url: Where webhooks are POSTed\. /],
    [
      ['PATCH', 'midoffices/m', 'client_certificate.certificate=x'],
      /^PATCH midoffices\/{id} needs client_certificate\.private_key: /,
    ],
    [['POST', 'import'], /^POST import needs a body from the standard input: add "-"\. /],
    [
      ['POST', 'orders/events', 'events=a'],
      /^events must be JSON: a list of objects, .* events:='…'\.$/,
    ],
  ] as [[string, string, ...string[]], RegExp][])('%j', (words, sentence) => {
    const failed = (() => {
      try {
        return read(...words);
      } catch (error) {
        return error;
      }
    })();
    expect(failed).toBeInstanceOf(UsageError);
    expect((failed as Error).message).toMatch(sentence);
  });
});

test('whatever an id is, a request goes to the path that was found, or nowhere', () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('..', '.', '%2e', '?', '#', '\\')),
      (id) => {
        const typed = [id, encodeURIComponent(id)];
        for (const one of typed) {
          try {
            const { params } = read('GET', `keys/${one}/usage`);
            const { path } = requestOf('getUsage', { environment: 'sandbox', ...params } as never);
            expect(new URL(path, 'http://back-office').pathname).toBe(path);
            expect(path.split('/')).toHaveLength(
              '/support/v1/sandbox/keys/7/usage'.split('/').length,
            );
          } catch (error) {
            if (!(error instanceof UsageError)) throw error;
          }
        }
      },
    ),
  );
});

test('the calls of docs/support.md exist, with their fields', () => {
  const page = readFileSync(new URL('../../../../docs/support.md', import.meta.url), 'utf8');
  const calls = [...page.matchAll(/^npx bellhop api (.+)$/gm)].map(([, line = '']) => line);
  expect(calls.length).toBeGreaterThan(8);
  for (const line of calls) {
    const words = [...line.matchAll(/(?:[^\s"]|"[^"]*")+/g)].map(([word]) =>
      word.replaceAll('"', ''),
    );
    expect([line, read(...(words as [string, string])).id]).toEqual([line, expect.any(String)]);
  }
});
