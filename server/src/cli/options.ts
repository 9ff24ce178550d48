/** Options that several commands have, and readers for values: they return the value, or say what it must be. */
import { Option } from '@commander-js/extra-typings';
import { type EnvironmentName, environmentNames } from '../config/settings.ts';
import { BadValue, positiveDuration } from '../config/values.ts';
import { UsageError } from './failures.ts';

/** `orElse` names what else the option takes. */
export function wholeNumber(
  option: string,
  least: number,
  most: number,
  orElse = '',
): (text: string) => number {
  return (text) => {
    const number = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
    if (number >= least && number <= most) return number;
    throw new UsageError(
      `${option} must be a whole number from ${least} to ${most}${orElse}, not ${JSON.stringify(text)}.`,
    );
  };
}

/** Reads to milliseconds. */
export function positiveTime(option: string): (text: string) => number {
  return (text) => {
    try {
      return positiveDuration(text);
    } catch (error) {
      if (!(error instanceof BadValue)) throw error;
      throw new UsageError(`${option} ${error.message}.`);
    }
  };
}

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

export function httpUrl(option: string): (text: string) => string {
  return (text) => {
    const url = URL.canParse(text) ? new URL(text) : undefined;
    if (url?.protocol === 'http:' || url?.protocol === 'https:') return text;
    throw new UsageError(
      `${option} must be a URL such as http://127.0.0.1:8090, not ${JSON.stringify(text)}.`,
    );
  };
}

/** Every value of an option that may be given several times. */
export function repeated(value: string, earlier: string[] | undefined): string[] {
  return [...(earlier ?? []), value];
}

/** A value from the environment often has a line break at its end. */
export function trimmed(text: string): string {
  return text.trim();
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

/** From the environment, the key is hidden from other users of the machine. */
export function apiKeyOption(description: string) {
  return new Option('--api-key <key>', description).env('BELLHOP_API_KEY').argParser(trimmed);
}

export function jsonOption(description: string) {
  return new Option('--json', description);
}
