/** Options that several commands have, and readers for values: they return the value, or say what it must be. */
import {
  apiKeyOption as declaredApiKey,
  httpUrl,
  positiveTime,
  trimmed,
  UsageError,
} from '@bellhop/partner/command-line';
import { Option } from '@commander-js/extra-typings';
import { type EnvironmentName, environmentNames } from '../base/config/settings.ts';

export { httpUrl, positiveTime, trimmed, wholeNumber } from '@bellhop/partner/command-line';

/** Reads a time, or how long ago it was ("6h"), to ISO 8601 in UTC. */
export function moment(option: string): (text: string) => string {
  return (text) => {
    if (/^\d+[a-z]+$/.test(text)) {
      return new Date(Date.now() - positiveTime(option)(text)).toISOString();
    }
    const at = /^\d{4}-\d{2}-\d{2}/.test(text) ? Date.parse(text) : Number.NaN;
    if (!Number.isNaN(at)) return new Date(at).toISOString();
    throw new UsageError(
      `${option} must be a time such as 2026-01-31, 2026-01-31T12:00Z or 6h (six hours ago), not ${JSON.stringify(text)}.`,
    );
  };
}

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

export function apiKeyOption(description: string) {
  const { env, read } = declaredApiKey(description);
  return new Option('--api-key <key>', description).env(env).argParser(read);
}

export function jsonOption(description: string) {
  return new Option('--json', description);
}
