import type { Partner } from '@bellhop/support-client';
import { examples } from '../help-style.ts';
import { printable, table } from '../terminal.ts';
import {
  answer,
  listAction,
  listRecords,
  onlyOption,
  supportAction,
  supportCommand,
} from './command.ts';
import { facts, when } from './words.ts';

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
      { ...(name && { name }), ...(only && { only }) },
      (partners) =>
        table(
          ['id', 'name', 'status', 'midoffice', 'created'],
          partners.map((one) => [
            one.id,
            printable(one.name),
            statusOf(one),
            one.midoffice_id ?? 'none',
            when(one.created_at),
          ]),
        ),
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

const create = supportAction('create', 'create a partner')
  .description('Creates a partner. It gets its keys with "bellhop keys create".')
  .requiredOption('--name <name>', "the partner's name")
  .requiredOption('--started-on <day>', 'the day on which its integration starts: 2025-10-01')
  .option('--not-new', 'the partner is not new to the API; the sandbox is for new ones only')
  .addHelpText(
    'after',
    examples('bellhop partners create --name "Nordlys Travel" --started-on 2025-11-03'),
  )
  .action(({ name, startedOn, notNew = false, ...options }) =>
    answer(
      options,
      ({ call, environment }) => {
        const body = { name, integration_started_on: startedOn, is_new: !notNew };
        return call('createPartner', { environment, body });
      },
      facts,
    ),
  );

const suspend = supportAction('suspend', 'refuse all calls of a partner')
  .description('Suspends a partner: all its calls are refused until "bellhop partners resume".')
  .argument('<id>', ID)
  .option('--reason <text>', 'why; the audit keeps it')
  .addHelpText('after', examples('bellhop partners suspend par_0198c0de --reason "unpaid"'))
  .action((id, { reason, ...options }) => setSuspended(true, id, reason, options));

const resume = supportAction('resume', 'let a suspended partner call again')
  .description('Lets a suspended partner call again.')
  .argument('<id>', ID)
  .option('--reason <text>', 'why; the audit keeps it')
  .addHelpText('after', examples('bellhop partners resume par_0198c0de'))
  .action((id, { reason, ...options }) => setSuspended(false, id, reason, options));

function setSuspended(
  suspended: boolean,
  id: string,
  reason: string | undefined,
  options: Parameters<typeof answer>[0],
): Promise<void> {
  return answer(
    options,
    ({ call, environment }) =>
      call('updatePartner', { environment, id, body: { suspended, ...(reason && { reason }) } }),
    ({ name }) => `${printable(name)} ${suspended ? 'is suspended' : 'may call again'}.`,
  );
}

export const partnersCommand = supportCommand(
  'Lists, shows and changes partners. Changes need a token of role support or admin.',
  [list, show, create, suspend, resume],
  'bellhop partners list --name nordlys',
  'bellhop partners show par_0198c0de --json',
);

function statusOf({ suspended, certified_at }: Partner): string {
  if (suspended) return 'suspended';
  return certified_at === null ? 'not certified' : 'certified';
}
