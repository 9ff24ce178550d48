/** Bellhop as it is shipped: a process of its own, on free ports unless its settings name others. */
import { join } from 'node:path';
import { type ProcessOptions, type Started, startProcess } from './process.ts';

export const BELLHOP = join(import.meta.dirname, '..', 'server', 'bin', 'bellhop.js');

export const environments = ['production', 'sandbox'] as const;
export type EnvironmentName = (typeof environments)[number];

export type Settings = Record<string, string>;

/** The settings of a Bellhop that nobody else notices. */
export const FREE_PORTS = {
  BELLHOP_PRODUCTION_PORT: '0',
  BELLHOP_SANDBOX_PORT: '0',
  BELLHOP_BACK_OFFICE_PORT: '0',
  BELLHOP_PORTAL_PORT: '0',
};

/** As the ready line gives them. */
export interface Addresses {
  production: string;
  sandbox: string;
  backOffice: string;
  portal: string;
}

const { PATH = '', NODE_COMPILE_CACHE } = process.env;

/** What a process needs from our environment, and nothing of the settings for somebody's own Bellhop. */
export const processEnv: Settings = {
  PATH,
  // See test/provide/global-setup.ts.
  ...(NODE_COMPILE_CACHE !== undefined && { NODE_COMPILE_CACHE }),
};

export interface ServeOptions extends Pick<ProcessOptions, 'stdout' | 'stderr'> {
  nodeArgs?: readonly string[];
  /** A program that runs it, with its own arguments, such as strace. */
  through?: readonly string[];
}

/** Only the process: see `ready`. */
export function serve(settings: Settings, options: ServeOptions = {}): Started {
  const { nodeArgs = [], through = [], ...streams } = options;
  const command = [...through, process.execPath, ...nodeArgs, BELLHOP, 'serve'];
  return startProcess(command as [string, ...string[]], {
    env: { ...processEnv, ...settings },
    ...streams,
  });
}

/** Where it serves; rejects if it ends before. */
export async function ready(bellhop: Started): Promise<Addresses> {
  return JSON.parse((await bellhop.line(/^ready /)).slice('ready '.length));
}
