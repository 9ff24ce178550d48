/** Options that several commands have. */
import { Option } from '@commander-js/extra-typings';
import { type EnvironmentName, environmentNames } from '../config/settings.ts';
import { httpUrl, trimmed } from './values.ts';

export const backOfficeOption = new Option('--back-office <url>', 'the address of the back office')
  .argParser(httpUrl('--back-office'))
  .default(undefined, 'this machine, at BELLHOP_BACK_OFFICE_PORT');

export const tokenOption = new Option('--token <token>', 'a back-office token')
  .env('BELLHOP_TOKEN')
  .argParser(trimmed)
  .default(undefined, 'the one that a server started in this folder keeps in its data folder');

export function environmentOption(description: string, byDefault: EnvironmentName) {
  return new Option('--environment <name>', description)
    .choices(environmentNames)
    .default(byDefault);
}

/** From the environment, the key is hidden from other users of the machine. */
export function apiKeyOption(description: string) {
  return new Option('--api-key <key>', description).env('BELLHOP_API_KEY').argParser(trimmed);
}

export function jsonOption(description: string) {
  return new Option('--json', description);
}
