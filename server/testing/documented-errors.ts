/** Reads the tables of docs/errors.md. */
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
  const [, ...parts] = readText('docs/errors.md').split(/^## /m);
  const text = parts.find((one) => one.startsWith(`${part}\n`));
  if (text === undefined) throw new Error(`docs/errors.md has no part "${part}"`);
  return text.split('\n').flatMap((line) => {
    const match = ROW.exec(line);
    if (!match) return [];
    const [, status, code = '', meaning = '', tryAgain = '', remedy = ''] = match;
    return { status: Number(status), code, meaning, tryAgain, remedy };
  });
}
