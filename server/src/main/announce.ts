/** The start-up text for people: what runs, the first token of the back office, and a demo key to try it with. */
import type { Config } from '../base/config/config.ts';
import { type DemoKey, demoCall, keepDemoKey } from '../base/demo-key.ts';
import { VERSION } from '../base/version.ts';
import { keepAdminToken } from '../operate/secrets.ts';
import type { BackOfficeStore } from '../store/back-office/store.ts';
import type { ByEnvironment, Environment } from './environment.ts';
import type { Shared } from './shared.ts';

/** Prints a line. */
export type Say = (line: string) => void;

/** Creates a demo partner in the sandbox, unless it needs none. */
export type CreateDemo = (setting: 'on' | undefined) => Promise<DemoKey | undefined>;

/** After the databases were opened, because wrong settings of theirs prove to be wrong only then. */
export async function announceProcess(
  { config, environments, backOfficeStore }: Shared,
  say: Say,
): Promise<void> {
  say(`Bellhop ${VERSION} on Node ${process.versions.node}`);
  for (const { name, settings } of environments.values()) {
    say(
      `  ${name}: ${settings.databaseUrl ? 'PostgreSQL' : 'embedded database'}, ` +
        `limits in ${settings.redisUrl ? 'Redis' : 'this process'}, ` +
        `${settings.upstreamUrl ? 'forwarding' : 'no upstream'}`,
    );
  }
  if (backOfficeStore) await announceFirstToken(config, backOfficeStore, say);
}

async function announceFirstToken(config: Config, store: BackOfficeStore, say: Say) {
  const { ensureFirstToken } = await import('../resources/tokens/first-token.ts');
  const token = await ensureFirstToken(store, config.adminToken);
  if (token === undefined) return;
  const sandboxAlone = !config.environments.includes('production');
  const file = keepAdminToken(config.dataDir, token, sandboxAlone);
  const kept = file ? `kept in ${file}` : 'which could not be kept in the data folder';
  say(`  Admin token for the back office, ${kept}: ${token}`);
}

export async function announceDemo(
  { dataDir, demo: setting, sandbox }: Config,
  createDemo: CreateDemo,
  sandboxAddress: string | undefined,
  say: Say,
): Promise<void> {
  const embedded = sandbox.databaseUrl === undefined;
  const wanted = setting === 'on' || (setting === undefined && embedded);
  if (!sandboxAddress || !wanted) return;
  const demo = await createDemo(setting === 'on' ? 'on' : undefined);
  if (!demo) return;
  say('  A demo partner with a key is in the sandbox. Try it:');
  say(`  ${demoCall(demo, sandboxAddress)}`);
  keepDemoKey(dataDir, demo);
}

/** Loads the actions of support and their schemas, 13 MB: beside a services thread, that thread does it. */
export function createDemoIn(
  environments: ByEnvironment<Environment>,
  { sandboxOffer }: Config,
): CreateDemo {
  return async (setting) => {
    const sandbox = environments.get('sandbox');
    if (!sandbox) return undefined;
    const { createDemo } = await import('../resources/create-demo.ts');
    return createDemo({ ...sandbox, sandboxOffer }, setting);
  };
}
