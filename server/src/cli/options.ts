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
import { MOMENTS, readMoment, when } from './moments.ts';

export { httpUrl, positiveTime, trimmed, wholeNumber } from '@bellhop/partner/command-line';

/** Reads a time, or how long ago it was ("6h"), to ISO 8601 in UTC. */
function moment(option: string): (text: string) => string {
  return (text) => {
    const at = /^\d+[a-z]+$/.test(text)
      ? new Date(Date.now() - positiveTime(option)(text))
      : readMoment(text);
    if (at) return at.toISOString();
    throw new UsageError(
      `${option} must be a time such as ${MOMENTS} or 6h (six hours ago), not ${JSON.stringify(text)}.`,
    );
  };
}

/** A new one for each command, because one of them cannot do without it. */
export function sinceOption() {
  return new Option(
    '--since <time>',
    'accepted since then: 6h (ago), 10:00, yesterday, "yesterday 22:00", 2026-01-31 or 2026-01-31T12:00Z; without a zone it is local time',
  ).argParser(moment('--since'));
}

export const untilOption = new Option(
  '--until <time>',
  'accepted until then; a day means its beginning',
).argParser(moment('--until'));

/** Nothing can be in a span that lies ahead or ends before it begins. */
export function checkSpan(since: string | undefined, until: string | undefined): void {
  if (since === undefined) return;
  if (Date.parse(since) > Date.now()) {
    throw new UsageError(
      `--since must be in the past, but ${when(since)} is still to come. A time of yesterday is written "yesterday 22:00".`,
    );
  }
  if (until !== undefined && since > until) {
    throw new UsageError('--since must not be after --until.');
  }
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
