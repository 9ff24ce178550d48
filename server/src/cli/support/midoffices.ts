import type { MidofficeWithState } from '@bellhop/support-client';
import { examples } from '../help-style.ts';
import { when } from '../moments.ts';
import { checkSpan, sinceOption, untilOption } from '../options.ts';
import { type Cell, printable } from '../terminal.ts';
import { attemptLine } from '../trigger-report.ts';
import {
  answer,
  listAction,
  listRecords,
  onlyOption,
  supportAction,
  supportCommand,
} from './command.ts';
import { facts, plural } from './words.ts';

const ID = 'the id of the midoffice';

const list = listAction(
  'list the midoffices and whether their receivers answer',
  'Lists midoffices with the health of their receivers, the newest first.',
  'bellhop midoffices list --name meridian',
)
  .option('--name <text>', 'only those whose name contains this text')
  .addOption(onlyOption('midoffices'))
  .action(({ name, only, ...options }) =>
    listRecords(
      options,
      'listMidoffices',
      { name: name || undefined, only },
      ['id', 'name', 'health', 'failing since', 'url'],
      (one) => [
        one.id,
        printable(one.name),
        healthOf(one),
        when(one.failing_since, ''),
        printable(one.url),
      ],
    ),
  );

const show = supportAction('show', 'show a midoffice, what waits for it and its last attempt')
  .description('Shows a midoffice, how many webhooks wait for it, and how its last attempt ended.')
  .argument('<id>', ID)
  .addHelpText('after', examples('bellhop midoffices show mid_0198c0de'))
  .action((id, options) =>
    answer(
      options,
      ({ call, environment }) => call('getMidoffice', { environment, id }),
      described,
    ),
  );

const test = supportAction('test', 'send a signed test webhook now')
  .description(
    'Sends one signed test webhook now and shows what the receiver answered. Exits with 1 if it failed.',
  )
  .argument('<id>', ID)
  .addHelpText('after', examples('bellhop midoffices test mid_0198c0de'))
  .action((id, options) =>
    answer(
      options,
      async ({ call, environment }) => {
        const attempt = await call('sendTestEvent', { environment, id });
        if (attempt.outcome !== 'delivered') process.exitCode = 1;
        return attempt;
      },
      (attempt) => attemptLine(attempt, 'test webhook'),
    ),
  );

const recover = supportAction('recover', 'send what was given up or cancelled again')
  .description(
    'Sends the exhausted and cancelled webhooks of a midoffice again, and the unrouted ones of partners that work with it now. With --dry-run it only counts them.',
  )
  .argument('<id>', ID)
  .addOption(sinceOption().makeOptionMandatory())
  .addOption(untilOption)
  .option('--dry-run', 'only count them')
  .addHelpText(
    'after',
    examples(
      'bellhop midoffices recover mid_0198c0de --since 24h --dry-run',
      'bellhop midoffices recover mid_0198c0de --since 10:00 --until 11:30',
    ),
  )
  .action((id, { since, until, dryRun = false, ...options }) =>
    answer(
      options,
      ({ call, environment }) => {
        checkSpan(since, until);
        const body = { since, ...(until && { until }), dry_run: dryRun };
        return call('recoverMidoffice', { environment, id, body });
      },
      ({ requeued }) =>
        dryRun
          ? `${plural(requeued, 'webhook', 'webhooks')} would be sent again.`
          : `${plural(requeued, 'webhook is', 'webhooks are')} sent again.`,
    ),
  );

export const midofficesCommand = supportCommand(
  'Lists, shows and tests midoffices, and sends their webhooks again, which needs a token of role support or admin. "bellhop api midoffices" lists what else can be done.',
  [list, show, test, recover],
  'bellhop midoffices list --name meridian',
  'bellhop midoffices recover mid_0198c0de --since 24h',
);

function healthOf({ paused, health }: Pick<MidofficeWithState, 'paused' | 'health'>): Cell {
  if (paused) return { text: 'paused', colour: 'yellow' };
  return health === 'failing' ? { text: health, colour: 'red' } : health;
}

function described({ last_attempt: last, last_test: _, ...midoffice }: MidofficeWithState): string {
  const shown = facts(midoffice);
  return last ? `${shown}\n\n${attemptLine(last, 'last attempt', when(last.started_at))}` : shown;
}
