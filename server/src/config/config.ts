/**
 * Settings are read once, at the start, into one object. Anything wrong is a `ConfigError` whose
 * message is one sentence that names the variable.
 */
import {
  type EnvironmentName,
  environmentNames,
  environmentSettings,
  type Setting,
  settings,
} from './settings.ts';
import { BadValue } from './values.ts';

export class ConfigError extends Error {}

type Values<Table> = {
  [Name in keyof Table]: Table[Name] extends Setting<infer Value> ? Value : never;
};

export type EnvironmentConfig = Values<typeof environmentSettings>;
export type Config = Values<typeof settings> & Record<EnvironmentName, EnvironmentConfig>;

type Variables = Record<string, string | undefined>;

/** Read by the tests, not by the server; known so that they can be set while it starts. */
const TEST_VARIABLES = [
  'BELLHOP_TEST_POSTGRES_URL',
  'BELLHOP_TEST_REDIS_URL',
  'BELLHOP_TEST_CHROMIUM',
];
/** Read by commands such as `bellhop overview`; known so that a server starts from the same shell. */
const COMMAND_VARIABLES = ['BELLHOP_KEY_ID', 'BELLHOP_API_KEY', 'BELLHOP_TOKEN'];

export function readConfig(variables: Variables): Config {
  refuseUnknown(variables);
  const config = {
    ...readTable(settings, '', variables),
    production: readTable(environmentSettings, 'BELLHOP_PRODUCTION_', variables),
    sandbox: readTable(environmentSettings, 'BELLHOP_SANDBOX_', variables),
  };
  refuseContradictions(config);
  return config;
}

export interface DescribedSetting {
  name: string;
  meaning: string;
  default: string;
  /** What is in force; secrets only as "set". */
  current: string;
}

export function describeSettings(variables: Variables): DescribedSetting[] {
  return allSettings().map(({ variable, setting }) => {
    const given = givenText(variables, variable);
    const shownDefault = setting.default ? setting.default : (setting.defaultNote ?? 'empty');
    return {
      name: variable,
      meaning: setting.meaning,
      default: shownDefault,
      current: given === undefined ? shownDefault : setting.secret ? '(set)' : withoutUser(given),
    };
  });
}

/** A password where none is allowed is refused, but it may be listed before that. */
function withoutUser(text: string): string {
  return text.replace(/\/\/.*@/, '//…@');
}

/** An empty value counts as unset, so that `BELLHOP_X= npm start` falls back to the default. */
function givenText(variables: Variables, variable: string): string | undefined {
  return variables[variable]?.trim() || undefined;
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

function readTable<Table extends Record<string, Setting<unknown>>>(
  table: Table,
  prefix: string,
  variables: Variables,
): Values<Table> {
  const values: Record<string, unknown> = {};
  for (const [name, setting] of Object.entries(table)) {
    const variable = prefix + setting.variable;
    const given = givenText(variables, variable) ?? setting.default;
    try {
      values[name] = given === undefined ? undefined : setting.read(given);
    } catch (error) {
      if (error instanceof BadValue) throw new ConfigError(`${variable} ${error.message}.`);
      throw error;
    }
  }
  return values as Values<Table>;
}

function refuseUnknown(variables: Variables): void {
  const known = new Set([
    ...allSettings().map(({ variable }) => variable),
    ...TEST_VARIABLES,
    ...COMMAND_VARIABLES,
  ]);
  for (const variable of Object.keys(variables)) {
    if (variable.startsWith('BELLHOP_') && !known.has(variable)) {
      throw new ConfigError(
        `${variable} is not a setting of Bellhop; "npx bellhop config" lists those there are.`,
      );
    }
  }
}

function refuseContradictions(config: Config): void {
  const { production, sandbox } = config;
  for (const name of config.environments) {
    if (config[name].databaseUrl && !config.masterKey) {
      throw new ConfigError(
        `BELLHOP_MASTER_KEY must be set with PostgreSQL (BELLHOP_${name.toUpperCase()}_DATABASE_URL), so that every node can open the sealed keys.`,
      );
    }
  }
  if (production.databaseUrl && production.databaseUrl === sandbox.databaseUrl) {
    throw new ConfigError(
      'BELLHOP_SANDBOX_DATABASE_URL must not be the database of production: the environments never mix.',
    );
  }
  const ports = portsToOpen(config).filter((port) => port !== 0);
  if (new Set(ports).size < ports.length) {
    throw new ConfigError(
      'BELLHOP_PRODUCTION_PORT, BELLHOP_SANDBOX_PORT and BELLHOP_BACK_OFFICE_PORT must differ.',
    );
  }
}

/** A node of one job alone may listen where another job would by default. */
function portsToOpen({ roles, environments, ...config }: Config): number[] {
  const ports: number[] = [];
  if (roles.includes('partner-api')) {
    if (environments.includes('production')) ports.push(config.productionPort);
    if (environments.includes('sandbox')) ports.push(config.sandboxPort);
  }
  if (roles.includes('back-office')) ports.push(config.backOfficePort);
  return ports;
}
