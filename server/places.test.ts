/**
 * "Where to change what" in ARCHITECTURE.md, held by an example of each row: every hand-written file that names it. A new
 * place is one more that the next such field, state, operation or setting has to touch. Derive it from one that is there
 * already, or add it here and to ARCHITECTURE.md.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { CSV_COLUMNS } from './src/cli/csv-import.ts';
import { importedOf } from './src/resources/import/imported-fields.ts';
import { key } from './src/resources/keys/key.ts';
import { partner } from './src/resources/partners/partner.ts';

const page = readFileSync(new URL('../ARCHITECTURE.md', import.meta.url), 'utf8');

/** Made by a command, or only there to test, to measure or to tell what has changed. */
const NOT_PLACES = [
  ...['*.gen.ts', 'docs/openapi', 'docs/scale', 'docs/settings.md', 'docs/command-line.md'],
  'deploy/helm/bellhop/settings.json',
  ...['*.test.*', '*/e2e/*', 'server/fuzz', 'server/testing', 'support-client/programs', 'test'],
  ...['bench', 'cluster', 'torture', 'console/jobs', 'console/screenshots.ts'],
  ...['CHANGELOG.md', 'ARCHITECTURE.md'],
];

/** What every column of a record needs: a migration, the row's type, and its name for people. */
const COLUMN = ['server/src/store/migrations/0001-environment.ts', 'server/src/store/schema.ts'];
const FIELD = [...COLUMN, 'rules/src/field-names.ts', 'docs/operating/import.md'];

interface Example {
  row: string;
  name: string;
  /** What each of its kind touches: the row has a link to the file or to its folder. */
  places: string[];
  /** Its own rules, and examples that happen to show it. */
  besides: string[];
}

const examples: Example[] = [
  {
    row: 'a field of a partner',
    name: 'is_new',
    places: [
      ...FIELD,
      'server/src/resources/partners/partner.ts',
      'server/src/cli/csv-import.ts',
      'console/src/pages/partners/Partner.tsx',
      'console/src/widgets/NewPartnerDialog.tsx',
    ],
    besides: [
      // Who gets a sandbox depends on it.
      'server/src/resources/partners/sandbox-offer.ts',
      'server/src/resources/create-demo.ts',
      'server/src/cli/sandbox-receiver.ts',
      'docs/errors.md',
      'docs/quick-start.md',
      'docs/support.md',
    ],
  },
  {
    row: 'a field of a key',
    name: 'allowed_ips',
    places: [
      ...FIELD,
      'server/src/resources/keys/key.ts',
      'server/src/cli/csv-import.ts',
      // What the partner API and the portal need of a key.
      'server/src/store/key-lookup.ts',
      'server/src/portal/own-keys.ts',
      'console/src/pages/keys/Key.tsx',
      'console/src/widgets/KeyDialog.tsx',
      'portal/src/pages/keys/AllowListDialog.tsx',
      'portal/src/pages/keys/Key.tsx',
      'portal/src/pages/keys/Keys.tsx',
      'docs/limits.md',
    ],
    besides: [
      'console/src/widgets/calls/AllowAddress.tsx',
      'server/src/resources/calls/judge-calls.ts',
      'server/src/resources/dry-run.ts',
      // A session of a key is refused from an address that the key does not allow.
      'server/src/resources/portal/queries.ts',
      'portal/src/pages/refusals/AllowAddress.tsx',
      'console/src/api/problem.ts',
    ],
  },
  {
    row: 'a field of a midoffice',
    name: 'max_per_second',
    places: [
      ...FIELD,
      'server/src/resources/midoffices/midoffice.ts',
      // Delivery reads it with the work that is due.
      'server/src/store/queue/rows.ts',
      'server/src/delivery/stages.ts',
      'console/src/pages/midoffices/Midoffice.tsx',
      'console/src/pages/midoffices/MidofficeFields.tsx',
      'docs/limits.md',
    ],
    besides: [
      'server/src/delivery/lane.ts',
      'server/src/delivery/pace.ts',
      'server/src/delivery/rehearse.ts',
      'server/src/delivery/worker.ts',
      'server/src/resources/deliveries/why-failed.ts',
      'server/src/resources/midoffices/routes.ts',
      'server/src/resources/midoffices/send-pending.ts',
      'docs/delivery-queue.md',
      'docs/operating/runbook.md',
      'docs/operating/webhooks.md',
    ],
  },
  {
    row: 'a field of an attempt',
    name: 'reply_excerpt',
    places: [
      'server/src/store/migrations/0001-environment.ts',
      'server/src/delivery/attempt.ts',
      'server/src/delivery/attempt-record.ts',
      'server/src/resources/deliveries/attempts.ts',
      'console/src/widgets/AttemptCard.tsx',
    ],
    besides: [
      'server/src/resources/cases/items.ts',
      'server/src/resources/deliveries/why-failed.ts',
      // The largest field, so it is what bounds the memory of writes that wait for a database.
      'server/src/store/postgres/kept-writes.ts',
    ],
  },
  {
    row: 'a state of a delivery',
    name: '[`\'"]exhausted[`\'"]',
    places: [
      'server/src/delivery/states.ts',
      'console/src/widgets/badges.tsx',
      'console/src/words/en/records.tsx',
    ],
    besides: [
      // The compiler leads to these.
      'server/src/delivery/delivery-stats.ts',
      'server/src/delivery/record.ts',
      'server/src/delivery/schedule.ts',
      'server/src/store/minute-stats.ts',
      'server/src/store/postgres/settle.ts',
      'server/src/store/queue/follow-up.ts',
      'server/src/store/sqlite/queue.ts',
      // What is exhausted is somebody's task: an index, its condition, the search for it, pages and an alert.
      'server/src/store/migrations/0001-environment.ts',
      'server/src/store/queue/conditions.ts',
      'server/src/store/queue/list.ts',
      'server/src/resources/deliveries/routes.ts',
      'console/src/pages/deliveries/Delivery.tsx',
      'console/src/pages/overview/Charts.tsx',
      'console/src/widgets/bulk/bulk-words.ts',
      'portal/src/pages/home/Home.tsx',
      'portal/src/pages/home/verdict.ts',
      'portal/src/pages/webhooks/Webhook.tsx',
      'deploy/prometheus/alerts.yml',
      'docs/operating/runbook.md',
    ],
  },
  {
    row: 'a reason why an attempt fails',
    name: 'connection_refused',
    places: [
      'server/src/receiver/failure-codes.ts',
      'partner/src/receiver-check/failures.ts',
      'console/src/widgets/failure-words.ts',
      'console/src/words/en/records.tsx',
      'docs/errors.md',
    ],
    // Node reports it by a code of its own.
    besides: ['partner/src/receiver-check/explain-error.ts'],
  },
  {
    row: 'an operation of the support API',
    name: 'recoverMidoffice',
    places: [
      'server/src/resources/midoffices/recover-midoffice.ts',
      'server/src/resources/midoffices/routes.ts',
      'server/src/cli/support/midoffices.ts',
      'console/src/pages/midoffices/recovery.ts',
    ],
    besides: [],
  },
  {
    row: 'an operation of the portal',
    name: 'listRefusals',
    places: ['server/src/portal/routes.ts', 'portal/src/api/queries.ts'],
    besides: [],
  },
  {
    row: 'a notice',
    name: 'key_rotated',
    places: [
      'server/src/notices/kinds.ts',
      'server/src/resources/keys/rotate-key.ts',
      'console/src/pages/notices/Notices.tsx',
      'portal/src/words/en.ts',
      'docs/operating/portal.md',
    ],
    // The example in the API's document.
    besides: ['server/src/resources/notices/notices.ts'],
  },
  {
    row: 'a setting',
    name: '(receiverTimeoutMs|RECEIVER_TIMEOUT)',
    places: ['server/src/base/config/settings.ts', 'server/src/main/order-webhooks.ts'],
    besides: [],
  },
  {
    row: 'an error code of the partner API',
    name: 'upstream_timeout',
    places: [
      'server/src/gateway/refusal.ts',
      'partner/src/client.ts',
      'console/src/words/en/records.tsx',
      'docs/partner-guide/errors.md',
      'docs/refused-calls.md',
    ],
    besides: ['docs/operating/runbook.md'],
  },
  {
    row: 'an error code of the back office',
    name: 'certification_required',
    places: [
      'server/src/resources/problem.ts',
      'server/src/resources/grants/grants.ts',
      'server/src/resources/grants/routes.ts',
      'server/src/resources/limit-requests/routes.ts',
      'server/src/resources/audit/routes.ts',
      'docs/errors.md',
    ],
    // The console asks for the certification there and then.
    besides: [
      'console/src/pages/keys/use-grant-change.ts',
      'console/src/pages/limit-requests/AnswerDialog.tsx',
    ],
  },
];

test.each(examples)('$row, such as $name, has these places and no others', (example) => {
  const args = ['grep', '--untracked', '-lwE', '-e', example.name, '--', '.'];
  const found = execFileSync('git', [...args, ...NOT_PLACES.map((path) => `:!${path}`)], {
    cwd: new URL('..', import.meta.url),
    encoding: 'utf8',
  });
  expect(found.trim().split('\n').sort()).toEqual([...example.places, ...example.besides].sort());
});

test.each(examples)(
  'ARCHITECTURE.md leads to all places of $row',
  ({ row, name, places, besides }) => {
    const said = page.split('\n').find((line) => line.startsWith('| ') && line.includes(row)) ?? '';
    const links = [...said.matchAll(/\]\(([^)]+)\)/g)].map(([, path = '']) => path);
    const isLinked = (place: string) =>
      links.some((link) => (link.endsWith('/') ? place.startsWith(link) : place === link));
    expect(places.filter((place) => !isLinked(place))).toEqual([]);
    const [word] = /\w+/.exec(name) ?? [];
    expect(said).toContain(`\`${word}\` ${places.length + besides.length}`);
  },
);

test('a CSV file may have every field of a partner and a key that an import takes', () => {
  const { name, ...ofPartner } = importedOf(partner);
  // Of keys, a table has those in use.
  const { revoked_at, ...ofKey } = importedOf(key);
  expect(name && revoked_at).toBeDefined();
  expect(CSV_COLUMNS).toEqual(
    expect.arrayContaining([...Object.keys(ofPartner), ...Object.keys(ofKey)]),
  );
});
