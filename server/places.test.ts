/**
 * "Where to change what" in ARCHITECTURE.md, held by an example of each row: every file of the server that names it.
 * A new place is one more that the next such field, state, operation or setting has to touch. Derive it from one that
 * is there already, or add it here and to ARCHITECTURE.md.
 */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { CSV_COLUMNS } from './src/cli/csv-import.ts';
import { importedOf } from './src/resources/import/imported-fields.ts';
import { key } from './src/resources/keys/key.ts';
import { partner } from './src/resources/partners/partner.ts';
import { readSources } from './testing/imports.ts';

const sources = readSources();
const page = readFileSync(new URL('../ARCHITECTURE.md', import.meta.url), 'utf8');

/** What every column of a record needs: a migration, the row's type, and the record's table. */
const COLUMN = ['store/migrations/0001-environment.ts', 'store/schema.ts'];

const examples: [row: string, name: string, files: string[]][] = [
  [
    'a field of a partner',
    'is_new',
    [
      ...COLUMN,
      'resources/partners/partner.ts',
      'cli/csv-import.ts',
      // Who gets a sandbox depends on it.
      'resources/partners/sandbox-offer.ts',
      'resources/create-demo.ts',
      'cli/sandbox-receiver.ts',
    ],
  ],
  [
    'a field of a key',
    'allowed_ips',
    [
      ...COLUMN,
      'resources/keys/key.ts',
      'cli/csv-import.ts',
      // The partner API checks it at every call.
      'store/key-lookup.ts',
      // The portal asks twice before a partner locks itself out.
      'portal/own-keys.ts',
      // A session of a key is refused from an address that the key does not allow.
      'resources/portal/queries.ts',
    ],
  ],
  [
    'a state of a delivery',
    "'exhausted'",
    [
      'delivery/states.ts',
      'delivery/delivery-stats.ts',
      'delivery/record.ts',
      'delivery/schedule.ts',
      'store/minute-stats.ts',
      // What is exhausted is somebody's task: an index, its condition, and the search for it.
      'store/migrations/0001-environment.ts',
      'store/queue/conditions.ts',
      'store/queue/list.ts',
      'store/postgres/settle.ts',
      'store/queue/follow-up.ts',
      'store/sqlite/queue.ts',
    ],
  ],
  [
    'a reason why an attempt fails',
    'connection_refused',
    // Its meaning is in the partner package, beside the others that a receiver's developers are told.
    ['receiver/failure-codes.ts'],
  ],
  [
    'an operation of the support API',
    'recoverMidoffice',
    [
      'resources/midoffices/recover-midoffice.ts',
      'resources/midoffices/routes.ts',
      // Only for what support does most.
      'cli/support/midoffices.ts',
    ],
  ],
  ['a setting', 'receiverTimeoutMs', ['base/config/settings.ts', 'main/order-webhooks.ts']],
];

test.each(examples)('%s, such as %s, has these places and no others', (_, name, files) => {
  const word = new RegExp(`(?<!\\w)${name}(?!\\w)`);
  const found = [...sources].flatMap(([file, source]) => (word.test(source) ? [file] : []));
  expect(found.sort()).toEqual(files.sort());
});

test.each(examples)('ARCHITECTURE.md says in how many files %s is: %s', (row, name, files) => {
  const said = page.split('\n').find((line) => line.startsWith('| ') && line.includes(row));
  expect(said).toContain(`\`${name.replaceAll("'", '')}\` ${files.length}`);
});

test('a CSV file may have every field of a partner and a key that an import takes', () => {
  const { name, ...ofPartner } = importedOf(partner);
  // Of keys, a table has those in use.
  const { revoked_at, ...ofKey } = importedOf(key);
  expect(name && revoked_at).toBeDefined();
  expect(CSV_COLUMNS).toEqual(
    expect.arrayContaining([...Object.keys(ofPartner), ...Object.keys(ofKey)]),
  );
});
