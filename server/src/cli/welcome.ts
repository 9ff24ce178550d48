/** What a start on a terminal tells a person: where the console is, where the token is, what to try next. */
import { isInside } from '../addresses/addresses.ts';
import type { Config } from '../config/config.ts';
import { keptAdminToken } from '../secrets.ts';
import { paint } from './terminal.ts';

/** `addresses` are those of the ready line. */
export function welcome(config: Config, addresses: Record<string, string>): string[] {
  const lines = [...whereThingsAre(config, addresses), ...whatToTry(config, addresses)];
  return lines.length > 0 ? ['', ...lines, '  Ctrl-C stops Bellhop.', ''] : [];
}

function whereThingsAre(config: Config, { backOffice }: Record<string, string>): string[] {
  if (!backOffice) return [];
  const office = config.backOfficeUrl ?? backOffice;
  return [
    `  Console      ${paint('bold', `${office}/`)}`,
    `  Admin token  ${whereTheTokenIs(config)}`,
    `  API docs     ${paint('bold', `${office}/docs`)}`,
    '',
  ];
}

function whereTheTokenIs({ adminToken, dataDir, environments }: Config): string {
  if (adminToken) return 'the one in BELLHOP_ADMIN_TOKEN';
  const kept = keptAdminToken(dataDir, !environments.includes('production'));
  return kept ? `in the file ${kept.file}` : 'the one that the first start printed';
}

/** Only what works with these settings. */
function whatToTry(config: Config, addresses: Record<string, string>): string[] {
  const { sandbox, environments, roles } = config;
  const tries: [string, string][] = [];
  const deliversHere =
    environments.includes('sandbox') &&
    roles.includes('delivery') &&
    isInside('127.0.0.1', sandbox.receiverAllow);
  if (addresses.backOffice && deliversHere) {
    tries.push(
      ['npx bellhop listen --sandbox', 'receive webhooks on this machine'],
      ['npx bellhop trigger', 'report an order to send one'],
    );
  }
  if (addresses.sandbox && !sandbox.upstreamUrl) {
    tries.push([
      'npx bellhop stub-upstream',
      'stand in for the booking core; it says how to restart',
    ]);
  }
  if (tries.length === 0) return [];
  const width = Math.max(...tries.map(([command]) => command.length));
  return [
    '  Try next, each in a terminal of its own:',
    ...tries.map(([command, what]) => `    ${paint('bold', command.padEnd(width))}  ${what}`),
    '',
  ];
}
