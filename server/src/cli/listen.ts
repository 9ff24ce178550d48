/** The command of the partner package, which can also register itself in the sandbox. */
import {
  listenCommand as declared,
  type ListenOptions,
  type Registered,
  runListen,
} from '@bellhop/partner/commands';
import { Command } from '@commander-js/extra-typings';
import { http } from '../listener/node-http.ts';
import { openBackOffice } from './back-office.ts';
import { optionOf } from './declared-command.ts';
import { UsageError } from './failures.ts';
import { examples } from './help-style.ts';
import { backOfficeOption, tokenOption } from './options.ts';
import { registerReceiver, type SandboxReceiver } from './sandbox-receiver.ts';
import { paint } from './terminal.ts';

const { apiKey, port, path, reply, forward, tolerance, json } = declared.options;
const [withKey = ''] = declared.examples;

interface Options extends ListenOptions {
  sandbox?: boolean;
  newKey?: boolean;
  backOffice?: string;
  token?: string;
}

export const listenCommand = new Command()
  .usage(`--sandbox [options]\n       bellhop listen ${declared.usage[0]}`)
  .description(`${declared.description}

With --sandbox there is nothing to set up. It registers itself in the sandbox of the server that runs here and prints the command that sends a first webhook. It creates a partner, a key and a midoffice once per port, and keeps the API key for the next start in the data folder (listen-4242.key, readable only for you).`)
  .option('--sandbox', 'set everything up in the sandbox')
  .option('--new-key', 'with --sandbox: replace the API key that an earlier start kept')
  .addOption(optionOf(apiKey))
  .addOption(optionOf(port))
  .addOption(optionOf(path))
  .addOption(optionOf(reply))
  .addOption(optionOf(forward))
  .addOption(optionOf(tolerance))
  .addOption(backOfficeOption)
  .addOption(tokenOption)
  .addOption(optionOf(json))
  .addHelpText(
    'after',
    examples(
      'bellhop listen --sandbox',
      'bellhop listen --sandbox --reply 500',
      'bellhop listen --sandbox --forward http://127.0.0.1:3000/webhooks',
      `bellhop ${withKey}`,
    ),
  )
  .action(async (given, command) => {
    const options = given as Options;
    const isGiven = (name: string) =>
      command.getOptionValueSource(name as keyof typeof given) === 'cli';
    const { sandbox, apiKey } = options;
    if (sandbox && isGiven('apiKey')) {
      throw new UsageError('Use either --sandbox or --api-key: the sandbox creates its own key.');
    }
    if (!sandbox && !apiKey) {
      throw new UsageError(
        'Which key signs the webhooks? Pass --api-key (or set BELLHOP_API_KEY), or let --sandbox set everything up.',
      );
    }
    if (options.newKey && !sandbox) {
      throw new UsageError('--new-key needs --sandbox: other keys are rotated in the back office.');
    }
    const backOffice = sandbox ? openBackOffice(options) : undefined;
    await runListen(options, isGiven, {
      createServer: (listener) => http.createServer(listener),
      async register(url) {
        if (!backOffice) return { apiKey: apiKey as string };
        const receiver = await registerReceiver(backOffice, url, Number(new URL(url).port), {
          newKey: options.newKey ?? false,
        });
        return describeReceiver(receiver, options.backOffice);
      },
    });
  });

function describeReceiver(receiver: SandboxReceiver, backOffice: string | undefined): Registered {
  const { partnerId, midofficeId, keyId, apiKey, keyFile } = receiver;
  const more = backOffice ? ` --back-office ${backOffice}` : '';
  const trigger = `npx bellhop trigger --partner ${partnerId}${more}`;
  const text = `The sandbox sends it the webhooks of this partner:

  partner  ${partnerId}
  API key  ${apiKey}
           ${keyFile ? `kept for the next start in ${keyFile}` : 'could not be kept in the data folder: the next start gets a new one'}

Send a first webhook from another terminal:

  ${paint('cyan', trigger)}
`;
  const facts = {
    partner_id: partnerId,
    midoffice_id: midofficeId,
    key_id: keyId,
    api_key: apiKey,
    key_file: keyFile ?? null,
    trigger,
  };
  return { apiKey, text, facts };
}
