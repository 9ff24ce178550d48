import type { Partner } from '@bellhop/support-client';
import { examples } from '../help-style.ts';
import { when } from '../moments.ts';
import { printable, table } from '../terminal.ts';
import {
  answer,
  listAction,
  listRecords,
  onlyOption,
  supportAction,
  supportCommand,
} from './command.ts';
import { facts } from './words.ts';

const ID = 'the id of the partner';

const list = listAction(
  'list the partners',
  'Lists partners, the newest first.',
  'bellhop partners list --name nordlys',
)
  .option('--name <text>', 'only those whose name contains this text')
  .addOption(onlyOption('partners'))
  .action(({ name, only, ...options }) =>
    listRecords(
      options,
      'listPartners',
      { name: name || undefined, only },
      ['id', 'name', 'status', 'midoffice', 'midoffice id', 'created'],
      (one) => [
        one.id,
        printable(one.name),
        statusOf(one),
        printable(one.midoffice_name ?? 'none'),
        one.midoffice_id ?? '',
        when(one.created_at),
      ],
    ),
  );

const show = supportAction('show', 'show a partner and what is left of its onboarding')
  .description('Shows a partner, and which steps of its onboarding are done.')
  .argument('<id>', ID)
  .addHelpText('after', examples('bellhop partners show par_0198c0de'))
  .action((id, options) =>
    answer(
      options,
      async ({ call, environment }) => {
        const partner = await call('getPartner', { environment, id });
        return { ...partner, onboarding: await call('getOnboarding', { environment, id }) };
      },
      ({ onboarding, ...partner }) => {
        const steps = onboarding.steps.map(({ name, done, detail }) => [
          done ? { text: 'done', colour: 'green' as const } : 'open',
          name.replaceAll('_', ' '),
          printable(detail ?? ''),
        ]);
        return `${facts(partner)}\n\n${table(['onboarding', 'step', ''], steps)}`;
      },
    ),
  );

export const partnersCommand = supportCommand(
  'Lists and shows partners. "bellhop api partners" lists what else can be done.',
  [list, show],
  'bellhop partners list --name nordlys',
  'bellhop partners show par_0198c0de --json',
);

function statusOf({ suspended, certified_at }: Partner): string {
  if (suspended) return 'suspended';
  return certified_at === null ? 'not certified' : 'certified';
}
