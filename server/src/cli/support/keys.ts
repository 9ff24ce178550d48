import type { Key, KeyWithSecret, Usage } from '@bellhop/support-client';
import { Option } from '@commander-js/extra-typings';
import { examples } from '../help-style.ts';
import { positiveTime } from '../options.ts';
import { limitInWords } from '../overview.ts';
import { type Cell, printable, table } from '../terminal.ts';
import {
  answer,
  listAction,
  listRecords,
  onlyOption,
  supportAction,
  supportCommand,
} from './command.ts';
import { facts, when } from './words.ts';

const ID = 'the id of the key';

const list = listAction(
  'list the keys',
  'Lists keys without their secrets, the newest first.',
  'bellhop keys list --partner par_0198c0de',
)
  .option('--partner <id>', 'only those of this partner')
  .addOption(onlyOption('keys'))
  .action(({ partner, only, ...options }) =>
    listRecords(
      options,
      'listKeys',
      { ...(partner && { partner_id: partner }), ...(only && { only }) },
      (keys) =>
        table(
          ['key id', 'partner', 'label', 'status', 'expires', 'created'],
          keys.map((key) => [
            key.key_id,
            key.partner_id,
            printable(key.label ?? ''),
            statusOf(key),
            when(key.expires_at),
            when(key.created_at),
          ]),
        ),
    ),
  );

const show = supportAction('show', 'show a key, its limits and how much of them is used')
  .description(
    'Shows a key with its endpoints, and how much of each limit is used at the moment. It uses nothing up.',
  )
  .argument('<key-id>', ID)
  .addHelpText('after', examples('bellhop keys show 1234'))
  .action((id, options) =>
    answer(
      options,
      async ({ call, environment }) => {
        const key = await call('getKey', { environment, key_id: id });
        const { items } = await call('getUsage', { environment, key_id: id });
        return { ...key, usage: items };
      },
      ({ usage, ...key }) => `${facts({ ...key, status: statusOf(key) })}\n\n${usageTable(usage)}`,
    ),
  );

const create = supportAction('create', 'create a key for a partner')
  .description(
    'Creates a key for a partner and prints its API key. This is the only time it is shown.',
  )
  .argument('<partner-id>', 'the id of the partner')
  .option('--label <text>', 'what the key is for')
  .addOption(
    new Option('--expires-in <time>', 'how long the key is valid, such as 90d').argParser(
      positiveTime('--expires-in'),
    ),
  )
  .addHelpText('after', examples('bellhop keys create par_0198c0de --label "web shop"'))
  .action((id, { label, expiresIn, ...options }) =>
    answer(
      options,
      ({ call, environment }) => {
        const expires_at = expiresIn && new Date(Date.now() + expiresIn).toISOString();
        const body = { ...(label && { label }), ...(expires_at && { expires_at }) };
        return call('createKey', { environment, id, body });
      },
      withSecret,
    ),
  );

const rotate = supportAction('rotate', 'replace the API key of a key')
  .description(
    'Gives a key a new API key and prints it. This is the only time it is shown. The old one works until the overlap ends.',
  )
  .argument('<key-id>', ID)
  .addOption(
    new Option('--overlap <time>', 'how long the old API key keeps working')
      .argParser(positiveTime('--overlap'))
      .default(undefined, '1d')
      .conflicts('leaked'),
  )
  .option('--leaked', 'the old API key leaked: it and all earlier ones stop working now')
  .addHelpText(
    'after',
    examples('bellhop keys rotate 1234 --overlap 7d', 'bellhop keys rotate 1234 --leaked'),
  )
  .action((id, { overlap, leaked, ...options }) =>
    answer(
      options,
      ({ call, environment }) => {
        const seconds = leaked ? 0 : overlap && Math.round(overlap / 1_000);
        const body = {
          ...(seconds !== undefined && { overlap_seconds: seconds }),
          ...(leaked && { end_overlaps: true }),
        };
        return call('rotateKey', { environment, key_id: id, body });
      },
      (key) => withSecret(key),
    ),
  );

const disable = supportAction('disable', 'refuse all calls of a key until it is enabled')
  .description('Disables a key: its calls are refused until "bellhop keys enable".')
  .argument('<key-id>', ID)
  .addHelpText('after', examples('bellhop keys disable 1234'))
  .action((id, options) => setDisabled(true, id, options));

const enable = supportAction('enable', 'let a disabled key call again')
  .description('Lets a disabled key call again.')
  .argument('<key-id>', ID)
  .addHelpText('after', examples('bellhop keys enable 1234'))
  .action((id, options) => setDisabled(false, id, options));

function setDisabled(disabled: boolean, id: string, options: Parameters<typeof answer>[0]) {
  return answer(
    options,
    ({ call, environment }) => call('updateKey', { environment, key_id: id, body: { disabled } }),
    ({ key_id }) => `Key ${key_id} ${disabled ? 'is disabled' : 'may call again'}.`,
  );
}

const revoke = supportAction('revoke', 'end a key for good')
  .description('Revokes a key at once and for good. To pause one, use "bellhop keys disable".')
  .argument('<key-id>', ID)
  .option('--reason <text>', 'why; the audit keeps it')
  .addHelpText('after', examples('bellhop keys revoke 1234 --reason "contract ended"'))
  .action((id, { reason, ...options }) =>
    answer(
      options,
      async ({ call, environment }) => {
        await call('revokeKey', { environment, key_id: id, query: { ...(reason && { reason }) } });
        return { key_id: id, revoked: true };
      },
      () => `Key ${printable(id)} is revoked.`,
    ),
  );

export const keysCommand = supportCommand(
  'Lists, shows and changes the keys of partners. Changes need a token of role support or admin.',
  [list, show, create, rotate, disable, enable, revoke],
  'bellhop keys list --partner par_0198c0de',
  'bellhop keys rotate 1234 --leaked',
);

function statusOf(key: Key, now = Date.now()): string {
  if (key.revoked_at !== null) return 'revoked';
  if (key.disabled) return 'disabled';
  return key.expires_at !== null && Date.parse(key.expires_at) <= now ? 'expired' : 'active';
}

function withSecret({ api_key, ...key }: KeyWithSecret): string {
  return `${facts({ ...key, status: statusOf(key) })}\n\nIts API key, shown only this once:\n${printable(api_key)}`;
}

function usageTable(usage: readonly Usage[]): string {
  const rows = usage.map((one): Cell[] => [
    one.endpoint,
    limitInWords(one),
    `${one.used.toLocaleString('en')}`,
    one.remaining === 0 ? { text: 'none left', colour: 'red' } : `${one.remaining ?? ''}`,
    when(one.resets_at, ''),
  ]);
  return table(['endpoint', 'limit', 'used', 'remaining', 'resets'], rows);
}
