import { tokenRoles } from '../support/tokens.ts';
import {
  BACK_OFFICE_HELP,
  type BackOffice,
  backOfficeOptions,
  openBackOffice,
} from './back-office.ts';
import type { Command } from './main.ts';
import { printable, table } from './terminal.ts';
import { readChoice, readOptions, UsageError } from './usage.ts';

interface Token {
  id: string;
  name: string;
  role: string;
  created_at: string;
}

const TOKENS = '/support/v1/tokens';
const actions = ['list', 'create', 'revoke'] as const;

export const tokensCommand: Command = {
  summary: 'list, create and revoke back-office tokens',
  words: actions,
  help: `Usage: bellhop tokens list [--json]
       bellhop tokens create --name NAME --role ROLE [--json]
       bellhop tokens revoke ID [--json]

Manages the tokens of the back office; needs one of role admin. A new token is shown this once:
Bellhop keeps only a digest of it.

Options:
  --name NAME         what the audit calls whoever uses the token
  --role ROLE         viewer reads, support also changes, admin also manages tokens, orders may
                      only post order events
${BACK_OFFICE_HELP}
  --json              print the reply as JSON

Examples:
  bellhop tokens list
  bellhop tokens create --name booking-core --role orders
  bellhop tokens revoke tok_0198c0de`,
  async run(args) {
    const { values, positionals } = readOptions(
      'tokens',
      args,
      {
        ...backOfficeOptions,
        name: { type: 'string' },
        role: { type: 'string' },
        json: { type: 'boolean' },
      },
      2,
    );
    const [action = '', id] = positionals;
    switch (readChoice('The first word after "bellhop tokens"', action, actions)) {
      case 'list': {
        refuseId(id);
        const items = await listAll(openBackOffice(values));
        console.log(values.json ? JSON.stringify(items, null, 2) : tokenTable(items));
        return 0;
      }
      case 'create': {
        refuseId(id);
        const { name } = values;
        if (!name) throw new UsageError('A token needs a --name, by which the audit will know it.');
        const role = readChoice('--role', values.role ?? '', tokenRoles);
        const made = await openBackOffice(values).call<Token & { token: string }>('POST', TOKENS, {
          name,
          role,
        });
        if (values.json) console.log(JSON.stringify(made, null, 2));
        else console.log(`${made.id}, role ${made.role}, shown this once:\n${made.token}`);
        return 0;
      }
      case 'revoke': {
        if (!id) throw new UsageError('Which token? "bellhop tokens list" shows the ids.');
        await openBackOffice(values).call('DELETE', `${TOKENS}/${encodeURIComponent(id)}`);
        console.log(values.json ? JSON.stringify({ id, revoked: true }) : `${id} is revoked.`);
        return 0;
      }
    }
  },
};

/** The oldest first, as people made them. */
async function listAll(backOffice: BackOffice): Promise<Token[]> {
  const all: Token[] = [];
  let query = 'limit=200';
  for (;;) {
    const { items, next_cursor } = await backOffice.call<{
      items: Token[];
      next_cursor: string | null;
    }>('GET', `${TOKENS}?${query}`);
    all.push(...items);
    if (next_cursor === null) return all.reverse();
    query = `limit=200&cursor=${encodeURIComponent(next_cursor)}`;
  }
}

function refuseId(id: string | undefined): void {
  if (id === undefined) return;
  throw new UsageError(
    `"bellhop tokens" takes no "${id}" here; "bellhop tokens --help" tells what it takes.`,
  );
}

function tokenTable(tokens: readonly Token[]): string {
  const rows = tokens.map(({ id, name, role, created_at }) => [
    id,
    printable(name),
    role,
    created_at,
  ]);
  return table(['id', 'name', 'role', 'created'], rows);
}
