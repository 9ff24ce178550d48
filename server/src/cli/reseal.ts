/** `bellhop reseal`: moves everything that is sealed to the current master key. */
import { join } from 'node:path';
import { Command, Option } from '@commander-js/extra-typings';
import { systemClock } from '../base/clock.ts';
import { type Config, readConfig } from '../base/config/config.ts';
import type { EnvironmentName } from '../base/config/settings.ts';
import { createLog } from '../base/log.ts';
import { masterKeyId, Vault } from '../base/sealing/vault.ts';
import { obtainMasterKeys, refuseIncomplete } from '../operate/master-key.ts';
import { addMasterKey, masterKeyFile, readMasterKeys } from '../operate/master-key-file.ts';
import { checkNeeds, type KeyNeed } from '../operate/reseal/needs.ts';
import { type ResealParts, reseal } from '../operate/reseal/reseal.ts';
import type { DirectDatabase } from '../store/direct/database.ts';
import { openDirectly } from '../store/open.ts';
import { hasDatabase } from '../store/sqlite/known-identity.ts';
import { CommandFailed, UsageError } from './failures.ts';
import { examples } from './help-style.ts';
import { jsonOption } from './options.ts';
import { reportProgress, table } from './terminal.ts';

export const resealCommand = new Command()
  .description(
    'Seals every API key, and the headers and private keys of webhooks, with the current master key, so that earlier ones are no longer needed. It reads the same settings as the server, and may run beside it. If it is interrupted, run it again.',
  )
  .addOption(
    new Option(
      '--check',
      'change nothing; count the values per master key, and exit with 1 while an earlier one is needed',
    ).conflicts('newKey'),
  )
  .option(
    '--new-key',
    'first put a new generated key into master.key in the data folder; without BELLHOP_MASTER_KEY only',
  )
  .option(
    '--pause',
    'on PostgreSQL, overwrite old copies beside running nodes however large the tables with sealed values are; some sign-ins wait meanwhile',
  )
  .addOption(jsonOption('print the counts as JSON'))
  .addHelpText(
    'after',
    examples('bellhop reseal --check', 'bellhop reseal', 'bellhop reseal --new-key'),
  )
  .action(async ({ check, newKey, pause: mayPause = false, json }) => {
    const config = readConfig(process.env);
    refuseWithoutDatabase(config);
    if (newKey && (await addNewKey(config)) === 'restart first') return;
    const needs: Record<string, KeyNeed[]> = {};
    await inEachEnvironment(config, async (environment, database, vault) => {
      if (!check) await resealOne({ environment, database, vault, mayPause });
      needs[environment] = await checkNeeds(database, vault);
    });
    console.log(json ? JSON.stringify(needs, null, 2) : shown(needs));
    const earlier = stillNeeded(needs);
    if (earlier.length > 0) {
      throw new CommandFailed(
        `Still needed: ${earlier.join(', ')}. Run "bellhop reseal" before you drop it.`,
      );
    }
    if (!json) console.log('Only the current master key is needed.');
  });

/** Before anything else: reading the master key would create one. */
function refuseWithoutDatabase(config: Config): void {
  refuseIncomplete(config);
  const { environments, dataDir } = config;
  if (environments.some((name) => config[name].databaseUrl ?? hasDatabase(join(dataDir, name)))) {
    return;
  }
  throw new UsageError(`There is no embedded database in ${dataDir}; check BELLHOP_DATA_DIR.`);
}

async function inEachEnvironment(
  config: Config,
  work: (environment: EnvironmentName, database: DirectDatabase, vault: Vault) => Promise<void>,
): Promise<void> {
  const { masterKey, previousMasterKeys } = obtainMasterKeys(config);
  const log = createLog('error');
  try {
    for (const environment of config.environments) {
      const database = await openDirectly(config, environment, log);
      if (!database) continue;
      try {
        await work(environment, database, new Vault(masterKey, environment, previousMasterKeys));
      } finally {
        await database.close();
      }
    }
  } finally {
    await log.end();
  }
}

async function resealOne(parts: Omit<ResealParts, 'clock' | 'onProgress'>) {
  const { environment } = parts;
  const report = reportProgress(`${environment}: keys and midoffices`);
  try {
    const sealed = await reseal({ ...parts, clock: systemClock, onProgress: report.show });
    report.end();
    console.error(
      `${environment}: ${sealed.toLocaleString('en')} keys and midoffices sealed again, old copies overwritten.`,
    );
  } finally {
    report.end();
  }
}

/** A running server reads the file only when it starts. */
async function addNewKey(config: Config): Promise<'restart first' | 'go on'> {
  if (config.masterKey) {
    throw new UsageError(
      'BELLHOP_MASTER_KEY is set, so the master key is not in the data folder. Make a new one with "openssl rand -base64 32" and follow docs/operating/rotating-the-master-key.md.',
    );
  }
  let isServed = false;
  await inEachEnvironment(config, async (_environment, database, vault) => {
    const needs = await checkNeeds(database, vault);
    if (needs.some((need) => need.is_needed && !need.is_current && need.sealing_processes === 0)) {
      throw new CommandFailed(
        'An earlier rotation has not ended: run "bellhop reseal" before you add another key.',
      );
    }
    isServed ||= (await database.masterKeysInUse()).length > 0;
  });
  const file = masterKeyFile(config.dataDir);
  addMasterKey(file);
  const [current] = readMasterKeys(file) ?? [];
  if (current) console.error(`${file} now begins with the new master key ${masterKeyId(current)}.`);
  if (!isServed) return 'go on';
  console.error('Restart Bellhop, so that it uses the new key. Then run "bellhop reseal".');
  return 'restart first';
}

function stillNeeded(needs: Record<string, KeyNeed[]>): string[] {
  return Object.entries(needs).flatMap(([environment, ofKeys]) =>
    ofKeys
      .filter((need) => need.is_needed && !need.is_current)
      .map(({ master_key }) => `master key ${master_key} in ${environment}`),
  );
}

function shown(needs: Record<string, KeyNeed[]>): string {
  const rows = Object.entries(needs).flatMap(([environment, ofKeys]) =>
    ofKeys.map(({ master_key, is_current, values, sealing_processes, is_needed }) => [
      environment,
      master_key,
      is_current ? 'current' : 'earlier',
      values.toLocaleString('en'),
      String(sealing_processes),
      is_needed ? 'yes' : 'no',
    ]),
  );
  return table(['environment', 'master key', '', 'values', 'sealing threads', 'needed'], rows);
}
