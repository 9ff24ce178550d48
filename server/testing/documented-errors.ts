/** Reads the tables of error codes: those of the partner API are in the partner guide. */
import { readText } from './deploy-files.ts';

export interface DocumentedError {
  status: number;
  code: string;
  meaning: string;
  tryAgain: string;
  remedy: string;
}

const ROW = /^\| (\d{3}) \| `(\w+)` \| (.+?) \| (.+?) \| (.+) \|$/;

export function documentedErrors(part: 'Partner API' | 'Back office'): DocumentedError[] {
  const page = part === 'Partner API' ? 'docs/partner-guide/errors.md' : 'docs/errors.md';
  const [, ...parts] = readText(page).split(/^## /m);
  const text = parts.find((one) => one.startsWith(`${part}\n`));
  if (text === undefined) throw new Error(`${page} has no part "${part}"`);
  return text.split('\n').flatMap((line) => {
    const match = ROW.exec(line);
    if (!match) return [];
    const [, status, code = '', meaning = '', tryAgain = '', remedy = ''] = match;
    return { status: Number(status), code, meaning, tryAgain, remedy };
  });
}
