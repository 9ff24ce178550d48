/**
 * Settings are read once, at the start, into one object. If some are wrong, a `ConfigError` says so:
 * one sentence for each of them, on a line of its own, that names the variable.
 */
import { isLoopback, LOOPBACK } from '../addresses/addresses.ts';
import { listenersOf } from './listeners.ts';
import { fileVariable, givenText, type Variables, withSecretFiles } from './secret-files.ts';
import {
  type EnvironmentName,
  environmentNames,
  environmentSettings,
  type Setting,
  settings,
} from './settings.ts';
import { BadValue } from './values.ts';

/** What has to change before a server can start: supervisors learn it from the exit code (cli/serve-exits.ts). */
export type StartRefusal = 'setting' | 'data' | 'busy' | 'unavailable';

/** An argument or a setting has to change. */
export class ConfigError extends Error {
  readonly refusal: StartRefusal;

  constructor(message: string, refusal: StartRefusal = 'setting') {
    super(message);
    this.refusal = refusal;
  }
}

/** Arguments and settings are right, but something else has to change first. */
export class PreconditionFailed extends ConfigError {
  constructor(message: string, refusal: StartRefusal = 'data') {
    super(message, refusal);
  }
}

type Values<Table> = {
  [Name in keyof Table]: Table[Name] extends Setting<infer Value> ? Value : never;
};

export type EnvironmentConfig = Values<typeof environmentSettings>;
export type Config = Values<typeof settings> & Record<EnvironmentName, EnvironmentConfig>;

/** Read by the tests, not by the server. Known here so that they can be set when it starts. */
const TEST_VARIABLES = [
  'BELLHOP_TEST_POSTGRES_URL',
  'BELLHOP_TEST_REDIS_URL',
  'BELLHOP_TEST_CHROMIUM',
];
/** Read by commands such as `bellhop overview`. Known here so that a server starts from the same shell. */
const COMMAND_VARIABLES = [
  'BELLHOP_KEY_ID',
  ...['BELLHOP_API_KEY', 'BELLHOP_TOKEN'].flatMap((secret) => [secret, fileVariable(secret)]),
];

/** So that everyone who reads the settings afterwards sees the same content. `readConfig` refuses what remains. */
export function readSecretFiles(variables: Variables): Variables {
  return withSecretFiles(variables, variablesWithFiles(), []);
}

export function readConfig(given: Variables): Config {
  const problems = unknownSettings(given);
  const variables = withSecretFiles(given, variablesWithFiles(), problems);
  const config = {
    ...readTable(settings, '', variables, problems),
    production: readTable(environmentSettings, 'BELLHOP_PRODUCTION_', variables, problems),
    sandbox: readTable(environmentSettings, 'BELLHOP_SANDBOX_', variables, problems),
  };
  // Settings can be compared only after each of them was found valid.
  if (problems.length === 0) problems.push(...contradictions(config));
  if (problems.length > 0) throw new ConfigError(problems.join('\n'));
  if (isOnThisMachineAlone(config) && !givenText(variables, 'BELLHOP_SANDBOX_RECEIVER_ALLOW')) {
    config.sandbox.receiverAllow = [...LOOPBACK];
  }
  return config;
}

/**
 * A sandbox that no other machine can reach, with its own database. Developers try webhooks there, so its
 * receivers may be on this machine. Production never gets this exception.
 */
function isOnThisMachineAlone({ host, sandbox }: Config): boolean {
  return sandbox.databaseUrl === undefined && isLoopback(host);
}

export interface DescribedSetting {
  name: string;
  meaning: string;
  default: string;
  /** The value in force. A secret is shown only as "(set)", or as the file that holds it. */
  current: string;
  /** The variable that names a file with it instead. */
  file_variable?: string;
}

export function describeSettings(variables: Variables): DescribedSetting[] {
  return allSettings().map(({ variable, setting }) => {
    const given = givenValue(variables, variable, setting);
    const shownDefault = setting.default ? setting.default : (setting.defaultNote ?? 'empty');
    const described = { name: variable, meaning: setting.meaning, default: shownDefault };
    const shown = setting.secret ? '(set)' : withoutUser(given ?? '') || 'empty';
    const current = given === undefined ? shownDefault : shown;
    if (!canBeInFile(setting)) return { ...described, current };
    const file_variable = fileVariable(variable);
    const file = givenText(variables, file_variable);
    return { ...described, current: file ? `(in the file ${file})` : current, file_variable };
  });
}

/** Some settings refuse a URL with a password, but `bellhop config` lists the value first. */
function withoutUser(text: string): string {
  return text.replace(/\/\/.*@/, '//…@');
}

/** The setting that gives an environment a PostgreSQL database. */
export function databaseVariable(name: EnvironmentName): string {
  return `BELLHOP_${name.toUpperCase()}_${environmentSettings.databaseUrl.variable}`;
}

export function directVariable(name: EnvironmentName): string {
  return `BELLHOP_${name.toUpperCase()}_${environmentSettings.databaseDirectUrl.variable}`;
}

export function redisVariable(name: EnvironmentName): string {
  return `BELLHOP_${name.toUpperCase()}_${environmentSettings.redisUrl.variable}`;
}

export function allSettings(): { variable: string; setting: Setting<unknown> }[] {
  const perEnvironment = environmentNames.flatMap((name) =>
    Object.values(environmentSettings).map((setting) => ({
      variable: `BELLHOP_${name.toUpperCase()}_${setting.variable}`,
      setting: setting as Setting<unknown>,
    })),
  );
  const common = Object.values(settings).map((setting) => ({
    variable: setting.variable,
    setting: setting as Setting<unknown>,
  }));
  return [...common, ...perEnvironment];
}

export function canBeInFile({ secret = false, reloadable = false }: Setting<unknown>): boolean {
  return secret || reloadable;
}

function variablesWithFiles(): string[] {
  return allSettings()
    .filter(({ setting }) => canBeInFile(setting))
    .map(({ variable }) => variable);
}

function readTable<Table extends Record<string, Setting<unknown>>>(
  table: Table,
  prefix: string,
  variables: Variables,
  problems: string[],
): Values<Table> {
  const values: Record<string, unknown> = {};
  for (const [name, setting] of Object.entries(table)) {
    const variable = prefix + setting.variable;
    const given = givenValue(variables, variable, setting) ?? setting.default;
    try {
      values[name] = given === undefined ? undefined : setting.read(given);
    } catch (error) {
      if (!(error instanceof BadValue)) throw error;
      problems.push(`${variable} ${error.message}.`);
    }
  }
  return values as Values<Table>;
}

/** As `givenText`, except for the few settings to which an empty value means something. */
function givenValue(
  variables: Variables,
  variable: string,
  { isEmptyAValue }: Setting<unknown>,
): string | undefined {
  return isEmptyAValue ? variables[variable]?.trim() : givenText(variables, variable);
}

function unknownSettings(variables: Variables): string[] {
  const known = new Set([
    ...allSettings().map(({ variable }) => variable),
    ...variablesWithFiles().map(fileVariable),
    ...TEST_VARIABLES,
    ...COMMAND_VARIABLES,
  ]);
  return Object.keys(variables)
    .filter((variable) => variable.startsWith('BELLHOP_') && !known.has(variable))
    .filter((variable) => givenText(variables, variable))
    .map(
      (variable) =>
        `${variable} is not a setting of Bellhop; "npx bellhop config" lists the settings.`,
    );
}

function contradictions(config: Config): string[] {
  const { production, sandbox } = config;
  const problems: string[] = [];
  const withoutMasterKey = config.masterKey
    ? undefined
    : config.environments.find((name) => config[name].databaseUrl);
  if (withoutMasterKey) {
    problems.push(
      `BELLHOP_MASTER_KEY must be set with PostgreSQL (${databaseVariable(withoutMasterKey)}), so that every node can open the sealed keys.`,
    );
  }
  for (const name of ['production', 'sandbox'] as const) {
    if (config[name].databaseDirectUrl === undefined || config[name].databaseUrl) continue;
    problems.push(
      `${directVariable(name)} needs ${databaseVariable(name)}, which names the pooler in front of it.`,
    );
  }
  if (production.databaseUrl && production.databaseUrl === sandbox.databaseUrl) {
    problems.push(
      'BELLHOP_SANDBOX_DATABASE_URL must not be the database of production: the environments never mix.',
    );
  }
  if (config.oidcIssuer && !config.oidcClientId) {
    problems.push('BELLHOP_OIDC_CLIENT_ID must be set with BELLHOP_OIDC_ISSUER.');
  }
  if (!config.oidcIssuer && (config.oidcClientId || config.oidcClientSecret)) {
    problems.push(
      'BELLHOP_OIDC_ISSUER must be set with BELLHOP_OIDC_CLIENT_ID and BELLHOP_OIDC_CLIENT_SECRET.',
    );
  }
  if ((config.smtpServer === undefined) !== (config.mailFrom === undefined)) {
    problems.push('BELLHOP_SMTP_URL and BELLHOP_MAIL_FROM must be set together.');
  }
  const pairs: [string, string | undefined, string | undefined][] = [
    ['BACK_OFFICE', config.backOfficeTlsCertFile, config.backOfficeTlsKeyFile],
    ['PORTAL', config.portalTlsCertFile, config.portalTlsKeyFile],
    ['PRODUCTION', production.tlsCertFile, production.tlsKeyFile],
    ['SANDBOX', sandbox.tlsCertFile, sandbox.tlsKeyFile],
    ['PRODUCTION_UPSTREAM', production.upstreamTlsCertFile, production.upstreamTlsKeyFile],
    ['SANDBOX_UPSTREAM', sandbox.upstreamTlsCertFile, sandbox.upstreamTlsKeyFile],
  ];
  for (const [name, cert, key] of pairs) {
    if ((cert === undefined) === (key === undefined)) continue;
    const names = [`BELLHOP_${name}_TLS_CERT_FILE`, `BELLHOP_${name}_TLS_KEY_FILE`];
    const [missing, given] = cert === undefined ? names : names.reverse();
    problems.push(`${missing} must be set with ${given}.`);
  }
  for (const name of environmentNames) {
    const { upstreamTlsCertFile, upstreamUrl } = config[name];
    if (upstreamTlsCertFile === undefined || upstreamUrl?.startsWith('https:')) continue;
    const prefix = `BELLHOP_${name.toUpperCase()}_UPSTREAM`;
    problems.push(`${prefix}_TLS_CERT_FILE needs a ${prefix}_URL that begins with https://.`);
  }
  const ports = [...listenersOf(config).values()].map(({ port }) => port).filter(Boolean);
  if (new Set(ports).size < ports.length) {
    problems.push(
      'BELLHOP_PRODUCTION_PORT, BELLHOP_SANDBOX_PORT, BELLHOP_BACK_OFFICE_PORT and BELLHOP_PORTAL_PORT must differ.',
    );
  }
  return problems;
}
