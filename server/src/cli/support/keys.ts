import type { Key, KeyWithSecret, Usage } from '@bellhop/support-client';
import { Option } from '@commander-js/extra-typings';
import { examples } from '../help-style.ts';
import { when } from '../moments.ts';
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
import { facts } from './words.ts';

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
      { partner_id: partner || undefined, only },
      ['key id', 'label', 'partner', 'partner id', 'status', 'expires', 'created'],
      (key) => [
        key.key_id,
        printable(key.label ?? ''),
        printable(key.partner_name),
        key.partner_id,
        statusOf(key),
        when(key.expires_at),
        when(key.created_at),
      ],
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
        const { name } = await call('getPartner', { environment, id: key.partner_id });
        return { ...key, partner_name: name, usage: items };
      },
      ({ usage, ...key }) => `${facts({ ...key, status: statusOf(key) })}\n\n${usageTable(usage)}`,
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
      withSecret,
    ),
  );

export const keysCommand = supportCommand(
  'Lists, shows and rotates the keys of partners. A rotation needs a token of role support or admin. "bellhop api keys" lists what else can be done.',
  [list, show, rotate],
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
