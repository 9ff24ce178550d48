import { temporaryFolder } from '../../test/support.ts';
import type { Addresses } from '../testing/bellhop.ts';
import { pointingAt, runCommand, startCommand } from './cli-command.ts';

export const LISTEN = ['listen', '--sandbox', '--port', '0', '--json'];

export const listenersFolder = temporaryFolder();

/** A listener registered in the sandbox, and a way to read its output. */
export async function listen(at: { addresses: Addresses }, ...more: string[]) {
  const dataDir = { BELLHOP_DATA_DIR: await listenersFolder };
  const command = startCommand([...LISTEN, ...more], {
    ...pointingAt(at.addresses),
    ...dataDir,
  });
  await command.printed(1);
  const ready = JSON.parse(command.lines[0] as string);
  return {
    ready,
    stop: command.stop,
    /** The n-th webhook that it printed. */
    async arrival(n: number) {
      await command.printed(n + 1);
      return JSON.parse(command.lines[n] as string);
    },
    trigger: (...args: string[]) =>
      runCommand(
        ['trigger', '--partner', ready.partner_id, '--watch', ...args],
        pointingAt(at.addresses),
      ),
  };
}
