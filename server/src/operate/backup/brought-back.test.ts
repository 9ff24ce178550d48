import { execFileSync } from 'node:child_process';
import { mkdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../../test/support.ts';
import { broughtBack } from './brought-back.ts';

const NOW = 1_000;
const DIGEST = '0123456789abcdef';

interface Key {
  id: string;
  revoked?: number;
  expires?: number;
  disabled?: number;
  digest?: string;
  master?: string;
  suspended?: number;
}

/** A data folder, or a backup, whose keys and tokens are these; each key has a partner of its own. */
async function folderOf(keys: Key[]): Promise<string> {
  const folder = await temporaryFolder();
  mkdirSync(join(folder, 'sandbox'));
  const environment = new DatabaseSync(join(folder, 'sandbox', 'bellhop.db'));
  environment.exec(`create table partner (id text primary key, name text, suspended integer);
    create table api_key (key_id text primary key, label text, revoked_at integer, expires_at integer,
      disabled integer, digest text, sealed_key text)`);
  const backOffice = new DatabaseSync(join(folder, 'back-office.db'));
  backOffice.exec(
    'create table token (id text primary key, name text, revoked_at integer, expires_at integer)',
  );
  for (const key of keys) {
    const { id, revoked = null, expires = null, disabled = 0, suspended = 0 } = key;
    const { digest = DIGEST, master = '00000001' } = key;
    const keyRow = [id, null, revoked, expires, disabled, digest, `AAAA=.${master}`];
    environment.prepare('insert into api_key values (?, ?, ?, ?, ?, ?, ?)').run(...keyRow);
    environment.prepare('insert into partner values (?, ?, ?)').run(`p${id}`, 'Blue', suspended);
    backOffice.prepare('insert into token values (?, ?, ?, ?)').run(`t${id}`, 'Ann', null, expires);
  }
  environment.close();
  backOffice.close();
  return folder;
}

test('names what worked in the copy and was ended since, and nothing else', async () => {
  const ids = ['1', '2', '3', '4', '5', '6', '7', '8', '9'];
  const copy = await folderOf([
    ...ids.map((id) => ({ id })),
    { id: 'revoked-before', revoked: 1 },
    { id: 'expired-before', expires: 1 },
    { id: 'enabled-since', disabled: 1 },
  ]);
  const newer = await folderOf([
    { id: '1' },
    { id: '2', revoked: 5 },
    { id: '3', disabled: 1 },
    { id: '4', expires: NOW },
    { id: '5', expires: NOW + 1 },
    { id: '6', digest: 'another' },
    // Sealed again under another master key, which changes the digest and keeps the fingerprint.
    { id: '7', digest: 'another', master: `00000002.${DIGEST.slice(0, 12)}` },
    { id: '9', digest: 'another', master: '00000002.aaaaaaaaaaaa' },
    { id: '8', suspended: 1 },
    { id: 'revoked-before', revoked: 1, disabled: 1 },
    { id: 'expired-before', expires: 1, revoked: 5 },
    { id: 'enabled-since' },
    { id: 'made-since', revoked: 5 },
  ]);
  const of = { environment: 'sandbox', kind: 'key', name: null };
  expect(broughtBack(copy, newer, NOW)).toEqual([
    { environment: 'sandbox', kind: 'partner', id: 'p8', name: 'Blue', because: 'suspended' },
    { ...of, id: '2', because: 'revoked' },
    { ...of, id: '3', because: 'disabled' },
    { ...of, id: '4', because: 'expired' },
    { ...of, id: '6', because: 'rotated' },
    { ...of, id: '9', because: 'rotated' },
    { environment: 'both', kind: 'token', id: 't4', name: 'Ann', because: 'expired' },
  ]);
});

test.each([
  ['a pipe in place of a database', 'sandbox/bellhop.db', 'pipe'],
  ['a pipe in place of its log', 'sandbox/bellhop.db-wal', 'pipe'],
  ['a link in place of a database', 'back-office.db', 'link'],
  ['a link in place of a folder', 'sandbox', 'link'],
])('of newer data with %s, nothing is read', async (_name, path, kind) => {
  const [copy, newer] = [await folderOf([{ id: '1' }]), await folderOf([{ id: '1' }])];
  const file = join(newer, path);
  if (kind === 'link') {
    renameSync(file, `${file}.elsewhere`);
    symlinkSync(`${file}.elsewhere`, file);
  } else {
    rmSync(file, { force: true });
    execFileSync('mkfifo', [file]);
  }
  expect(() => broughtBack(copy, newer, NOW)).toThrow('is not a regular file');
});
