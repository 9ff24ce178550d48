import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { Vault } from '../../base/sealing/vault.ts';
import {
  LONGEST_HEADER_NAME,
  LONGEST_HEADER_VALUE,
  MOST_HEADER_CHARACTERS,
  MOST_HEADERS,
  openHeaders,
  RESERVED_BEGINNINGS,
  RESERVED_HEADERS,
} from '../../delivery/webhook-headers.ts';
import { changedHeaders, checkHeaders, headersColumn, headersField } from './headers.ts';

const vault = new Vault(randomBytes(32), 'production');
const ID = 'mid_1';

describe('additional headers', () => {
  test.each([
    ['a name with a space', { 'X A': '1' }, '/headers/X A', /must have a name of/],
    ['no name', { '': '1' }, '/headers/', /must have a name of/],
    ['a line break in a name', { 'X\r\nY': '1' }, '/headers/X\r\nY', /must have a name of/],
    ['a name that is too long', { [`X${'a'.repeat(LONGEST_HEADER_NAME)}`]: '1' }, undefined, /100/],
    ['a header of Bellhop', { 'Content-Type': 'x' }, '/headers/Content-Type', /another name/],
    ['a header of a webhook', { 'WEBHOOK-id': 'x' }, '/headers/WEBHOOK-id', /another name/],
    ['a name twice', { 'X-A': '1', 'x-a': '2' }, '/headers/x-a', /must be given once/],
    ['an empty value', { 'X-A': '' }, '/headers/X-A', /must have a value/],
    ['a line break', { 'X-A': 'a\r\nx: 1' }, '/headers/X-A', /must have a value/],
    ['a tab', { 'X-A': 'a\tb' }, '/headers/X-A', /must have a value/],
    ['a space at the end', { 'X-A': 'a ' }, '/headers/X-A', /must have a value/],
    ['another script', { 'X-A': 'é' }, '/headers/X-A', /must have a value/],
    [
      'too much in all',
      { 'X-A': 'a'.repeat(LONGEST_HEADER_VALUE), 'X-B': 'a'.repeat(LONGEST_HEADER_VALUE) },
      '/headers',
      /6,144 characters/,
    ],
  ])('are refused with %s, without quoting the value', (_name, headers, field, detail) => {
    expect(() => checkHeaders(headers as Record<string, string>)).toThrow(
      expect.objectContaining({
        errors: [{ field: field ?? expect.any(String), detail: expect.stringMatching(detail) }],
      }),
    );
  });

  test('may have every character that a value can have', () => {
    const value = `"~ !${"#$%&'()*+,-./:;<=>?@[]^_`{|}"}a`;
    expect(() => checkHeaders({ Authorization: value, 'X_1.a': '…' })).not.toThrow();
  });

  test('are sealed and shown by name; a hidden value stays, and the same value keeps its form', () => {
    const first = headersColumn(vault, ID, { 'X-A': 'one', 'X-B': 'two' }, null);
    expect(first).not.toContain('one');
    expect(headersField.show(first)).toEqual({ 'X-A': '…', 'X-B': '…' });
    expect(headersColumn(vault, ID, { 'X-A': '…', 'X-B': 'two' }, first)).toBe(first);
    const second = headersColumn(vault, ID, { 'X-A': '…', 'X-B': 'other', 'X-C': 'new' }, first);
    expect(openHeaders(vault, ID, second)).toEqual({ 'X-A': 'one', 'X-B': 'other', 'X-C': 'new' });
    expect(changedHeaders(first, second)).toEqual(['X-B']);
    expect(headersColumn(vault, ID, {}, second)).toBeNull();
    expect(() => headersColumn(vault, ID, { 'X-D': '…' }, second)).toThrow(/\/headers\/X-D must/);
    // A value that was copied to another midoffice or header does not open there.
    expect(() => openHeaders(vault, 'mid_2', first)).toThrow();
    expect(() => openHeaders(vault, ID, first?.replace('X-A', 'X-Z') ?? null)).toThrow();
  });

  test('that are refused, and the limits, are documented', () => {
    const page = readFileSync('docs/operating/webhooks.md', 'utf8');
    for (const name of RESERVED_HEADERS) expect(page).toContain(`\`${name}\``);
    for (const beginning of RESERVED_BEGINNINGS) expect(page).toContain(`\`${beginning}*\``);
    const limits = [
      MOST_HEADERS,
      LONGEST_HEADER_NAME,
      LONGEST_HEADER_VALUE,
      MOST_HEADER_CHARACTERS,
    ].map((limit) => limit.toLocaleString('en'));
    const all = readFileSync('docs/limits.md', 'utf8');
    const [line] = /^\| additional headers.*$/m.exec(all) ?? [''];
    for (const limit of limits) expect(line).toContain(limit);
  });
});
