/**
 * What the commands for support have in common: they take an environment, call the back office by the ids of its
 * operations, and print the reply as JSON or as their own `say` words it. So a command is its options, one call and
 * one sentence or table.
 */
import { type ListName, onlyOf } from '@bellhop/rules/lists';
import type { Environment } from '@bellhop/support-client';
import type { InputOf, OperationId, QueryOf, ReplyOf } from '@bellhop/support-client/client';
import { Command, type CommandUnknownOpts, Option } from '@commander-js/extra-typings';
import { followPages } from '../../base/pages.ts';
import { type BackOffice, openBackOffice, Refused } from '../back-office.ts';
import { UsageError } from '../failures.ts';
import { examples } from '../help-style.ts';
import {
  backOfficeOption,
  environmentOption,
  jsonOption,
  tokenOption,
  wholeNumber,
} from '../options.ts';
import { type Cell, forTerminal, jsonText, paint, printableLines, table } from '../terminal.ts';

/** The most that a page of the back office holds. */
const LARGEST_PAGE = 200;
const MOST_LISTED = 10_000;

interface Options {
  environment: Environment;
  backOffice?: string | undefined;
  token?: string | undefined;
  json?: true | undefined;
}

export interface Asked extends Pick<BackOffice, 'call' | 'download'> {
  environment: Environment;
}

/** An action of a command, such as `keys rotate`. Add what it takes of its own to it. */
export function supportAction(name: string, summary: string) {
  return new Command(name)
    .summary(summary)
    .addOption(environmentOption('the environment', 'production'))
    .addOption(backOfficeOption)
    .addOption(tokenOption)
    .addOption(jsonOption('print the reply of the back office as JSON'));
}

/** A command that is a list of actions. */
export function supportCommand(
  description: string,
  actions: readonly CommandUnknownOpts[],
  ...lines: string[]
): CommandUnknownOpts {
  const command = new Command().usage('<action> [options]').description(description);
  for (const action of actions) command.addCommand(action);
  return command.addHelpText('after', examples(...lines)) as CommandUnknownOpts;
}

/** Calls the back office and prints what it replied. */
export async function answer<Reply>(
  options: Options,
  ask: (asked: Asked) => Promise<Reply>,
  say: (reply: Reply) => string,
): Promise<void> {
  const { call, download } = openBackOffice(options);
  const reply = await ask({ call, download, environment: options.environment }).catch((error) => {
    throw unknownRecord(error, options.environment);
  });
  console.log(options.json ? jsonText(reply ?? null, 2) : say(reply));
}

const LISTED_BY: Readonly<Record<string, string>> = {
  partner_not_found: 'partner',
  key_not_found: 'key',
  midoffice_not_found: 'midoffice',
  delivery_not_found: 'delivery',
};

/** The id is an argument, so a wrong one is bad usage. */
export function unknownRecord(error: unknown, environment: Environment): unknown {
  const what = error instanceof Refused ? LISTED_BY[error.code ?? ''] : undefined;
  if (what === undefined) return error;
  const list = what === 'delivery' ? 'deliveries' : `${what}s`;
  const there = environment === 'sandbox' ? 'the sandbox' : environment;
  return new UsageError(
    `There is no such ${what} in ${there}. "bellhop ${list} list --environment ${environment}" shows the ids; --environment chooses the other environment.`,
  );
}

type Listing = {
  [Id in OperationId]: ReplyOf<Id> extends { items: unknown[]; next_cursor: string | null }
    ? QueryOf<Id> extends { cursor?: string; format?: string }
      ? Id
      : never
    : never;
}[OperationId];

type ItemOf<Id extends Listing> = ReplyOf<Id>['items'][number];

const limitOption = new Option('--limit <n>', 'how many to list, the newest first')
  .argParser(wholeNumber('--limit', 1, MOST_LISTED))
  .default(50);

const csvOption = new Option('--csv', 'write all of them as CSV, without a limit').conflicts([
  'json',
  'limit',
]);

/** The action `list` of a command. Add its filters to it, and let `listRecords` do it. */
export function listAction(summary: string, description: string, ...lines: string[]) {
  return supportAction('list', summary)
    .description(description)
    .addOption(limitOption)
    .addOption(csvOption)
    .addHelpText('after', examples(...lines));
}

/** What the list can be narrowed to. */
export function onlyOption<List extends ListName>(list: List) {
  return new Option('--only <what>', 'only those that are').choices(onlyOf(list));
}

/** Lists records page by page. `filter` is the query of the operation. */
export async function listRecords<Id extends Listing>(
  options: Options & { limit: number; csv?: true | undefined },
  id: Id,
  filter: Omit<QueryOf<Id>, 'limit' | 'cursor' | 'format'>,
  heads: string[],
  row: (item: ItemOf<Id>) => Cell[],
): Promise<void> {
  const { environment, limit } = options;
  if (options.csv) return writeCsv(options, id, filter);
  await answer<ItemOf<Id>[]>(
    options,
    async ({ call }) => {
      const size = Math.min(limit + 1, LARGEST_PAGE);
      const read = (cursor?: string) =>
        call(id, { environment, query: { ...filter, limit: size, cursor } } as InputOf<Id>);
      const items: ItemOf<Id>[] = [];
      const pages = followPages<ReplyOf<Id>>(await read(), ({ next_cursor: cursor }) =>
        cursor !== null && items.length <= limit ? read(cursor) : undefined,
      );
      for await (const page of pages) items.push(...page.items);
      if (items.length > limit) {
        console.error(paint('dim', `There are more than ${limit}. --limit lists more of them.`));
      }
      return items.slice(0, limit);
    },
    (items) => (items.length === 0 ? 'There are none.' : table(heads, items.map(row))),
  );
}

async function writeCsv<Id extends Listing>(
  options: Options,
  id: Id,
  filter: object,
): Promise<void> {
  const { environment } = options;
  const query = { ...filter, format: 'csv' };
  await writeDownload(
    await openBackOffice(options).download(id, { environment, query } as InputOf<Id>),
  );
}

export async function writeDownload(rows: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const chunk of forTerminal(rows, printableLines)) {
    // A slow reader slows the download down.
    if (!process.stdout.write(chunk)) {
      await new Promise((resolve) => process.stdout.once('drain', resolve));
    }
  }
}
