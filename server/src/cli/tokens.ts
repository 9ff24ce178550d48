import type { NewToken, Token } from '@bellhop/support-client';
import { Command, Option } from '@commander-js/extra-typings';
import { followPages } from '../base/pages.ts';
import { type BackOffice, openBackOffice, Refused } from './back-office.ts';
import { UsageError } from './failures.ts';
import { examples } from './help-style.ts';
import { when } from './moments.ts';
import { backOfficeOption, jsonOption, positiveTime, tokenOption } from './options.ts';
import { jsonText, printable, table } from './terminal.ts';

const ROLES: Record<NewToken['role'], string> = {
  viewer: 'reads',
  support: 'also makes changes',
  admin: 'also manages tokens, and imports and exports everything, API keys included',
  orders: 'only posts order events',
};

const list = new Command('list')
  .summary('list the tokens')
  .description('Lists the tokens of the back office. Needs a token of role admin.')
  .addOption(backOfficeOption)
  .addOption(tokenOption)
  .addOption(jsonOption('print the tokens as JSON'))
  .addHelpText('after', examples('bellhop tokens list'))
  .action(async ({ json, ...backOffice }) => {
    const tokens = await allTokens(openBackOffice(backOffice));
    console.log(json ? jsonText(tokens, 2) : tokenTable(tokens));
  });

const create = new Command('create')
  .summary('create a token')
  .description(
    'Creates a token and prints it. This is the only time it is shown: Bellhop stores a digest of it. Needs a token of role admin.',
  )
  .requiredOption('--name <name>', 'the name that audit entries show for this token')
  .addOption(
    new Option(
      '--role <role>',
      `what the token may do: ${Object.entries(ROLES)
        .map((words) => words.join(' '))
        .join('; ')}`,
    )
      .choices(Object.keys(ROLES) as NewToken['role'][])
      .makeOptionMandatory(),
  )
  .addOption(
    new Option(
      '--expires-in <time>',
      'how long the token is valid, such as 12h or 90d; without it, it never expires',
    ).argParser(positiveTime('--expires-in')),
  )
  .addOption(backOfficeOption)
  .addOption(tokenOption)
  .addOption(jsonOption('print the new token as JSON'))
  .addHelpText(
    'after',
    examples(
      'bellhop tokens create --name booking-core --role orders',
      'bellhop tokens create --name audit-2026 --role viewer --expires-in 30d',
    ),
  )
  .action(async ({ name, role, expiresIn, json, ...backOffice }) => {
    const made = await openBackOffice(backOffice).call('createToken', {
      body: {
        name,
        role,
        ...(expiresIn !== undefined && {
          expires_at: new Date(Date.now() + expiresIn).toISOString(),
        }),
      },
    });
    if (json) {
      console.log(jsonText(made, 2));
      return;
    }
    const until = made.expires_at === null ? '' : `, until ${when(made.expires_at)}`;
    console.log(
      `${made.id}, role ${made.role}${until}. It is shown only this once:\n${made.token}`,
    );
  });

const revoke = new Command('revoke')
  .summary('revoke a token')
  .description('Revokes a token at once. Needs a token of role admin.')
  .argument('<id>', 'the id of the token ("bellhop tokens list" shows the ids)')
  .addOption(backOfficeOption)
  .addOption(tokenOption)
  .addOption(jsonOption('print the outcome as JSON'))
  .addHelpText('after', examples('bellhop tokens revoke tok_0198c0de'))
  .action(async (id, { json, ...backOffice }) => {
    await openBackOffice(backOffice)
      .call('deleteTokenById', { id })
      .catch((error) => {
        if (!(error instanceof Refused) || error.code !== 'token_not_found') throw error;
        throw new UsageError(
          `There is no token ${JSON.stringify(id)}. "bellhop tokens list" shows the ids.`,
        );
      });
    console.log(json ? JSON.stringify({ id, revoked: true }) : `${id} is revoked.`);
  });

export const tokensCommand = new Command()
  .usage('<action> [options]')
  .description('Manages the tokens of the back office. Needs a token of role admin.')
  .addCommand(list)
  .addCommand(create)
  .addCommand(revoke)
  .addHelpText(
    'after',
    examples(
      'bellhop tokens list',
      'bellhop tokens create --name booking-core --role orders',
      'bellhop tokens revoke tok_0198c0de',
    ),
  );

/** The oldest first, in the order in which people created them. */
async function allTokens(backOffice: BackOffice): Promise<Token[]> {
  const read = (cursor?: string) => backOffice.call('listTokens', { query: { cursor } });
  const pages = followPages(await read(), ({ next_cursor: cursor }) =>
    cursor ? read(cursor) : undefined,
  );
  const tokens: Token[] = [];
  for await (const { items } of pages) tokens.push(...items);
  return tokens.sort(byAge);
}

function byAge(one: Token, other: Token): number {
  return one.created_at.localeCompare(other.created_at);
}

function tokenTable(tokens: readonly Token[]): string {
  const rows = tokens.map(({ id, name, role, created_at, expires_at, last_used_at }) => [
    id,
    printable(name),
    role,
    when(created_at),
    when(last_used_at),
    when(expires_at),
  ]);
  return table(['id', 'name', 'role', 'created', 'last used', 'expires'], rows);
}
