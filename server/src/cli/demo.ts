import { Command } from '@commander-js/extra-typings';
import { settings } from '../base/config/settings.ts';
import { demoCall, keptDemoKey } from '../base/demo-key.ts';
import { CommandFailed } from './failures.ts';
import { examples } from './help-style.ts';
import { isStillValid } from './listener-key.ts';
import { sandboxAddress, settingHere } from './local-server.ts';
import { jsonOption } from './options.ts';

export const demoCommand = new Command()
  .description(
    'Shows the key of the demo partner again, with a call that works as it is. A server creates the demo partner when it starts with an empty embedded sandbox, and keeps its key in the data folder.',
  )
  .addOption(jsonOption('print the key as JSON'))
  .addHelpText('after', examples('bellhop demo'))
  .action(async ({ json }) => {
    const dataDir = settingHere(settings.dataDir);
    const key = keptDemoKey(dataDir);
    if (!key) {
      throw new CommandFailed(
        `There is no demo key in ${dataDir}. A server creates one there when it starts with an empty embedded sandbox, or with BELLHOP_DEMO=on. "bellhop api POST partners/ID/keys" makes other keys.`,
      );
    }
    if (!(await isStillValid(key))) {
      throw new CommandFailed(
        `The sandbox no longer accepts the demo key ${key.keyId}: it was rotated, revoked or belongs to other data. "bellhop keys rotate ${key.keyId} --environment sandbox" gives it a new API key.`,
      );
    }
    const shown = { key_id: key.keyId, api_key: key.apiKey };
    console.log(json ? JSON.stringify(shown, null, 2) : demoCall(key, sandboxAddress()));
  });
