import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Report } from '@bellhop/partner/receiver-check';
import { expect } from 'vitest';
import { API_KEY } from './broken-receivers.ts';

const BELLHOP = fileURLToPath(new URL('../bin/bellhop.js', import.meta.url));
interface Outcome {
  code: number;
  stdout: string;
  stderr: string;
}

export function bellhop(args: string[], env: Record<string, string> = {}): Promise<Outcome> {
  const settings = { PATH: process.env.PATH ?? '', BELLHOP_API_KEY: API_KEY, ...env };
  return new Promise((resolve) => {
    const command = [BELLHOP, 'check-receiver', ...args];
    execFile(process.execPath, command, { env: settings }, (error, stdout, stderr) => {
      resolve({ code: error ? Number(error.code) : 0, stdout, stderr });
    });
  });
}

export async function check(url: string, ...args: string[]): Promise<Report & { code: number }> {
  const { code, stdout, stderr } = await bellhop([url, '--json', ...args]);
  expect(stderr).toBe('');
  return { code, ...JSON.parse(stdout) };
}
