import { chmodSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../../../test/support.ts';
import { newMasterKey } from '../../../testing/settings.ts';
import { LOOPBACK } from '../addresses/addresses.ts';
import {
  allSettings,
  ConfigError,
  describeSettings,
  readConfig,
  readSecretFiles,
} from './config.ts';
import { LARGEST_SECRET_FILE_BYTES } from './secret-files.ts';
import { environmentNames } from './settings.ts';

const MASTER_KEY = newMasterKey();
const PREVIOUS_KEY = newMasterKey();

test('every setting has a default', () => {
  const { production, sandbox, ...common } = readConfig({});
  expect(common).toEqual({
    host: '127.0.0.1',
    productionPort: 8080,
    sandboxPort: 8081,
    backOfficePort: 8090,
    portalPort: 8085,
    portalName: 'Partner portal',
    portalLogo: undefined,
    portalColor: undefined,
    environments: ['production', 'sandbox'],
    roles: ['partner-api', 'delivery', 'back-office', 'portal'],
    drainDelayMs: 0,
    dataDir: './data',
    backupDir: undefined,
    sandboxOffer: { from: '2025-10-01', until: '2025-12-31' },
    masterKey: undefined,
    previousMasterKeys: [],
    adminToken: undefined,
    backOfficeTlsCertFile: undefined,
    backOfficeTlsKeyFile: undefined,
    backOfficeUrl: undefined,
    portalTlsCertFile: undefined,
    portalTlsKeyFile: undefined,
    portalUrl: undefined,
    oidcIssuer: undefined,
    oidcClientId: undefined,
    oidcClientSecret: undefined,
    oidcScopes: 'openid profile email',
    oidcRolesClaim: 'roles',
    oidcRoleMap: new Map([
      ['admin', 'admin'],
      ['support', 'support'],
      ['viewer', 'viewer'],
    ]),
    oidcRecheckMs: 3_600_000,
    oidcSignOut: 'provider',
    alertUrl: undefined,
    demo: undefined,
    caFile: undefined,
    trustedProxies: [],
    logLevel: 'info',
    logFormat: 'auto',
  });
  expect(production).toEqual({
    url: undefined,
    tlsCertFile: undefined,
    tlsKeyFile: undefined,
    databaseUrl: undefined,
    databaseDirectUrl: undefined,
    databaseConnections: 10,
    redisUrl: undefined,
    serveWithoutDatabaseMs: 120_000,
    upstreamUrl: undefined,
    upstreamTlsCertFile: undefined,
    upstreamTlsKeyFile: undefined,
    upstreamTimeoutMs: 60_000,
    retrySchedule: [
      ...[30_000, 60_000, 90_000, 120_000, 150_000, 300_000, 3_600_000],
      ...Array(14).fill(43_200_000),
    ],
    receiverTimeoutMs: 10_000,
    receiverAllow: [],
    errorForm: 'object',
    portalKeyScopes: ['read', 'redeliver'],
    retentionMs: 90 * 86_400_000,
    callsRetentionMs: 7 * 86_400_000,
  });
  expect(sandbox).toEqual({ ...production, receiverAllow: LOOPBACK });
});

test('every setting is read', () => {
  const config = readConfig({
    BELLHOP_HOST: '::1',
    BELLHOP_PRODUCTION_PORT: '1',
    BELLHOP_SANDBOX_PORT: '2',
    BELLHOP_BACK_OFFICE_PORT: '0',
    BELLHOP_ENVIRONMENTS: 'sandbox',
    BELLHOP_ROLES: 'back-office, partner-api',
    BELLHOP_DATA_DIR: '/var/lib/bellhop',
    BELLHOP_SANDBOX_OFFER: '2026-01-01..2026-03-31',
    BELLHOP_MASTER_KEY: MASTER_KEY,
    BELLHOP_PREVIOUS_MASTER_KEYS: `${PREVIOUS_KEY}, ${MASTER_KEY}`,
    BELLHOP_ADMIN_TOKEN: 'a-token-of-some-length',
    BELLHOP_BACK_OFFICE_URL: 'https://bellhop.example/',
    BELLHOP_OIDC_ISSUER: 'https://login.example.com/realm',
    BELLHOP_OIDC_CLIENT_ID: 'bellhop',
    BELLHOP_OIDC_CLIENT_SECRET: 'hunter2',
    BELLHOP_OIDC_SCOPES: 'openid groups',
    BELLHOP_OIDC_ROLES_CLAIM: 'realm_access.roles',
    BELLHOP_OIDC_ROLE_MAP: 'ops=admin',
    BELLHOP_OIDC_RECHECK: '15m',
    BELLHOP_OIDC_SIGN_OUT: 'bellhop',
    BELLHOP_ALERT_URL: 'https://alerts.example/hook',
    BELLHOP_DEMO: 'off',
    BELLHOP_TRUSTED_PROXIES: '10.0.0.0/8',
    BELLHOP_LOG_LEVEL: 'debug',
    BELLHOP_LOG_FORMAT: 'json',
    BELLHOP_PRODUCTION_DATABASE_URL: 'postgres://db/production',
    BELLHOP_SANDBOX_URL: 'https://sandbox.example/',
    BELLHOP_SANDBOX_DATABASE_URL: 'postgres://db/sandbox',
    BELLHOP_SANDBOX_REDIS_URL: 'rediss://cache:6380/1',
    BELLHOP_SANDBOX_UPSTREAM_URL: 'http://core:8000/base',
    BELLHOP_SANDBOX_UPSTREAM_TIMEOUT: '5s',
    BELLHOP_SANDBOX_RETRY_SCHEDULE: '10ms,2x20ms',
    BELLHOP_SANDBOX_RECEIVER_TIMEOUT: '500ms',
    BELLHOP_SANDBOX_RECEIVER_ALLOW: '127.0.0.0/8',
    BELLHOP_SANDBOX_RETENTION: '0s',
    BELLHOP_SANDBOX_CALLS_RETENTION: '0d',
  });
  expect(config).toMatchObject({
    host: '::1',
    productionPort: 1,
    sandboxPort: 2,
    backOfficePort: 0,
    environments: ['sandbox'],
    roles: ['partner-api', 'back-office'],
    dataDir: '/var/lib/bellhop',
    sandboxOffer: { from: '2026-01-01', until: '2026-03-31' },
    adminToken: 'a-token-of-some-length',
    backOfficeUrl: 'https://bellhop.example',
    oidcIssuer: 'https://login.example.com/realm',
    oidcClientId: 'bellhop',
    oidcClientSecret: 'hunter2',
    oidcScopes: 'openid groups',
    oidcRolesClaim: 'realm_access.roles',
    oidcRoleMap: new Map([['ops', 'admin']]),
    oidcRecheckMs: 900_000,
    oidcSignOut: 'bellhop',
    alertUrl: 'https://alerts.example/hook',
    demo: 'off',
    logLevel: 'debug',
    logFormat: 'json',
    production: { databaseUrl: 'postgres://db/production', redisUrl: undefined },
    sandbox: {
      url: 'https://sandbox.example',
      databaseUrl: 'postgres://db/sandbox',
      redisUrl: 'rediss://cache:6380/1',
      upstreamUrl: 'http://core:8000/base',
      upstreamTimeoutMs: 5_000,
      retrySchedule: [10, 20, 20],
      receiverTimeoutMs: 500,
      retentionMs: 0,
      callsRetentionMs: 0,
    },
  });
  expect(config.masterKey?.toString('base64')).toBe(MASTER_KEY);
  expect(config.previousMasterKeys.map((key) => key.toString('base64'))).toEqual([
    PREVIOUS_KEY,
    MASTER_KEY,
  ]);
  expect(config.trustedProxies).toHaveLength(1);
  expect(config.sandbox.receiverAllow).toHaveLength(1);
});

test('without scopes, nobody signs in to the portal with a key', () => {
  for (const empty of ['', ' ', 'none']) {
    const { sandbox, production } = readConfig({ BELLHOP_SANDBOX_PORTAL_KEY_SCOPES: empty });
    expect(sandbox.portalKeyScopes).toEqual([]);
    expect(production.portalKeyScopes).toEqual(['read', 'redeliver']);
  }
  const [described] = describeSettings({ BELLHOP_SANDBOX_PORTAL_KEY_SCOPES: '' }).filter(
    ({ name }) => name === 'BELLHOP_SANDBOX_PORTAL_KEY_SCOPES',
  );
  expect(described).toMatchObject({ default: 'read,redeliver', current: 'empty' });
});

/** A value that each setting refuses. Add new settings here too. */
const REFUSED: Record<string, string> = {
  BELLHOP_HOST: 'http://localhost',
  BELLHOP_PRODUCTION_PORT: '70000',
  BELLHOP_SANDBOX_PORT: '-1',
  BELLHOP_BACK_OFFICE_PORT: 'http',
  BELLHOP_PORTAL_PORT: '1e3',
  BELLHOP_ENVIRONMENTS: 'staging',
  BELLHOP_ROLES: 'cook',
  BELLHOP_DRAIN_DELAY: '11m',
  BELLHOP_SANDBOX_OFFER: '2025',
  BELLHOP_MASTER_KEY: 'hunter2-is-no-master-key',
  BELLHOP_PREVIOUS_MASTER_KEYS: `${MASTER_KEY},hunter2-is-no-master-key`,
  BELLHOP_ADMIN_TOKEN: 'hunter2',
  BELLHOP_ALERT_URL: 'ftp://user:hunter2@alerts',
  BELLHOP_BACK_OFFICE_URL: 'https://user:hunter2@bellhop.example',
  BELLHOP_PORTAL_URL: 'https://user:hunter2@portal.example',
  BELLHOP_SMTP_URL: 'smtp://user:hunter2@mail/path',
  BELLHOP_MAIL_FROM: 'Bellhop <noreply>',
  BELLHOP_PORTAL_NAME: 'x'.repeat(61),
  BELLHOP_PORTAL_LOGO_FILE: '/nowhere/logo.svg',
  BELLHOP_PORTAL_COLOR: 'green',
  BELLHOP_OIDC_ISSUER: 'http://user:hunter2@login.example.com',
  BELLHOP_OIDC_CLIENT_ID: 'hunter2\u0007',
  BELLHOP_OIDC_CLIENT_SECRET: 'hunter2\u0007',
  BELLHOP_OIDC_SCOPES: 'profile email',
  BELLHOP_OIDC_ROLES_CLAIM: 'rôles',
  BELLHOP_OIDC_ROLE_MAP: 'admins=root',
  BELLHOP_OIDC_RECHECK: '30s',
  BELLHOP_OIDC_SIGN_OUT: 'both',
  BELLHOP_DEMO: 'yes',
  BELLHOP_TRUSTED_PROXIES: 'balancer',
  BELLHOP_LOG_LEVEL: 'loud',
  BELLHOP_LOG_FORMAT: 'xml',
  URL: 'https://user:hunter2@api.example',
  DATABASE_URL: 'mysql://root:hunter2@db/name',
  REDIS_URL: 'http://:hunter2@cache',
  RECEIVER_PROXY: 'https://bell:hunter2@proxy',
  UPSTREAM_URL: 'http://user:hunter2@core',
  UPSTREAM_TIMEOUT: '0s',
  RETRY_SCHEDULE: 'now and then',
  RECEIVER_TIMEOUT: '10',
  RECEIVER_ALLOW: 'everyone',
  DATABASE_DIRECT_URL: 'mysql://user:hunter2@db',
  DATABASE_CONNECTIONS: '6',
  SERVE_WITHOUT_DATABASE: '13h',
  RETENTION: 'for ever',
  CALLS_RETENTION: 'a week',
  PORTAL_KEY_SCOPES: 'read,everything',
  ERROR_FORM: 'string',
};
/** Any text can be a folder or a file. Files are read later. */
const TAKES_ANYTHING = /^BELLHOP_(DATA_DIR|BACKUP_DIR|CA_FILE)$|_TLS_(CERT|KEY)_FILE$/;

describe.each(
  allSettings()
    .filter(({ variable }) => !TAKES_ANYTHING.test(variable))
    .map(({ variable, setting }) => ({
      variable,
      value: REFUSED[setting.variable] ?? '',
      setting,
    })),
)('$variable', ({ variable, value, setting }) => {
  test('is named if its value is invalid, without revealing a password', () => {
    expect(value).not.toBe('');
    const message = refusal({ [variable]: value });
    expect(message).toMatch(new RegExp(`^${variable} .*\\.$`));
    expect(message).not.toContain('hunter2');
  });

  test.skipIf(setting.isEmptyAValue)('counts as unset if it is empty or blank', () => {
    expect(readConfig({ [variable]: '' })).toEqual(readConfig({}));
    expect(readConfig({ [variable]: ' \t' })).toEqual(readConfig({}));
  });
});

test.each([
  'BELLHOP_PORT',
  'BELLHOP_',
  'BELLHOP_host',
  'BELLHOP_STAGING_DATABASE_URL',
  'BELLHOP_DATABASE_URL',
])('%s is refused as unknown, without repeating its value', (variable) => {
  expect(refusal({ [variable]: 'hunter2' })).toBe(
    `${variable} is not a setting of Bellhop; "npx bellhop config" lists the settings.`,
  );
  // An empty value counts as unset.
  expect(readConfig({ [variable]: '' })).toEqual(readConfig({}));
});

test('variables of other programs are ignored', () => {
  expect(readConfig({ PATH: '/bin', HOST: 'x', bellhop_host: 'x', MYBELLHOP_HOST: 'x' })).toEqual(
    readConfig({}),
  );
});

describe('the master key and PostgreSQL', () => {
  const databases = { BELLHOP_PRODUCTION_DATABASE_URL: 'postgres://db/one' };

  test('PostgreSQL requires the master key', () => {
    expect(refusal(databases)).toMatch(
      /^BELLHOP_MASTER_KEY must be set with PostgreSQL \(BELLHOP_PRODUCTION_DATABASE_URL\)/,
    );
    expect(refusal({ BELLHOP_SANDBOX_DATABASE_URL: 'postgres://db/one' })).toContain(
      'BELLHOP_SANDBOX_DATABASE_URL',
    );
    readConfig({ ...databases, BELLHOP_MASTER_KEY: MASTER_KEY });
  });

  test('PostgreSQL of an environment that is not served does not', () => {
    readConfig({ ...databases, BELLHOP_ENVIRONMENTS: 'sandbox' });
  });

  test('the environments cannot share one database', () => {
    const both = {
      ...databases,
      BELLHOP_SANDBOX_DATABASE_URL: databases.BELLHOP_PRODUCTION_DATABASE_URL,
      BELLHOP_MASTER_KEY: MASTER_KEY,
    };
    expect(refusal(both)).toBe(
      'BELLHOP_SANDBOX_DATABASE_URL must not be the database of production: the environments never mix.',
    );
    readConfig({ ...both, BELLHOP_SANDBOX_DATABASE_URL: 'postgres://db/other' });
  });
});

describe('receivers on this machine', () => {
  const allowed = (settings: Record<string, string | undefined>) => {
    const { production, sandbox } = readConfig({ BELLHOP_MASTER_KEY: MASTER_KEY, ...settings });
    return { production: production.receiverAllow, sandbox: sandbox.receiverAllow };
  };
  const closed = { production: [], sandbox: [] };
  const open = { production: [], sandbox: LOOPBACK };

  test.each(['127.0.0.1', '127.0.0.9', '::1', 'localhost'])(
    'are allowed in an embedded sandbox that listens on %s, and never in production',
    (host) => {
      expect(allowed({ BELLHOP_HOST: host })).toEqual(open);
      expect(allowed({ BELLHOP_HOST: host, BELLHOP_SANDBOX_RECEIVER_ALLOW: ' ' })).toEqual(open);
      const elsewhere = { BELLHOP_PRODUCTION_DATABASE_URL: 'postgres://db/production' };
      expect(allowed({ BELLHOP_HOST: host, ...elsewhere })).toEqual(open);
    },
  );

  test.each([
    { BELLHOP_HOST: '0.0.0.0' },
    { BELLHOP_HOST: '::' },
    { BELLHOP_HOST: '10.0.0.1' },
    { BELLHOP_HOST: 'bellhop.example' },
    { BELLHOP_SANDBOX_DATABASE_URL: 'postgres://db/sandbox' },
    { BELLHOP_SANDBOX_RECEIVER_ALLOW: 'none' },
  ])('are not allowed with %j', (settings) => {
    expect(allowed(settings)).toEqual(closed);
  });

  test('are not allowed beside the networks that the setting lists', () => {
    const listed = allowed({ BELLHOP_SANDBOX_RECEIVER_ALLOW: '10.0.0.0/8' });
    expect(listed.sandbox.map(String)).toEqual(['10.0.0.0,8']);
  });
});

describe('OpenID Connect', () => {
  const issuer = { BELLHOP_OIDC_ISSUER: 'https://login.example.com' };
  const client = { BELLHOP_OIDC_CLIENT_ID: 'bellhop' };

  test('needs an issuer and a client id', () => {
    expect(refusal(issuer)).toBe('BELLHOP_OIDC_CLIENT_ID must be set with BELLHOP_OIDC_ISSUER.');
    const withoutIssuer =
      'BELLHOP_OIDC_ISSUER must be set with BELLHOP_OIDC_CLIENT_ID and BELLHOP_OIDC_CLIENT_SECRET.';
    expect(refusal(client)).toBe(withoutIssuer);
    expect(refusal({ BELLHOP_OIDC_CLIENT_SECRET: 'hunter2' })).toBe(withoutIssuer);
    expect(readConfig({ ...issuer, ...client })).toMatchObject({ oidcClientSecret: undefined });
  });
});

describe('a secret in a file', () => {
  let folder: string;
  const file = (name: string, content: string) => {
    const path = join(folder, name);
    writeFileSync(path, content);
    return path;
  };

  beforeAll(async () => {
    folder = await temporaryFolder();
  });

  test('is every setting that is a secret, and no other', () => {
    const values: Record<string, string> = {
      BELLHOP_MASTER_KEY: MASTER_KEY,
      BELLHOP_PREVIOUS_MASTER_KEYS: `${PREVIOUS_KEY}\n${MASTER_KEY}`,
      BELLHOP_ADMIN_TOKEN: 'a-token-of-some-length',
      BELLHOP_OIDC_CLIENT_SECRET: 'hunter2',
      BELLHOP_ALERT_URL: 'https://alerts.example/hook',
      BELLHOP_SMTP_URL: 'smtps://user:hunter2@mail.example',
      BELLHOP_PRODUCTION_DATABASE_URL: 'postgres://db/production',
      BELLHOP_SANDBOX_DATABASE_URL: 'postgres://db/sandbox',
      BELLHOP_PRODUCTION_DATABASE_DIRECT_URL: 'postgres://db:5433/production',
      BELLHOP_SANDBOX_DATABASE_DIRECT_URL: 'postgres://db:5433/sandbox',
      BELLHOP_PRODUCTION_REDIS_URL: 'redis://one',
      BELLHOP_SANDBOX_REDIS_URL: 'redis://two',
      BELLHOP_PRODUCTION_RECEIVER_PROXY: 'http://bell:hop@proxy:3128',
      BELLHOP_SANDBOX_RECEIVER_PROXY: 'http://proxy:3128',
    };
    const secrets = allSettings().filter(({ setting }) => setting.secret);
    expect(Object.keys(values).sort()).toEqual(secrets.map(({ variable }) => variable).sort());
    const others = {
      BELLHOP_OIDC_ISSUER: 'https://login.example.com',
      BELLHOP_OIDC_CLIENT_ID: 'bellhop',
      BELLHOP_MAIL_FROM: 'noreply@example.com',
    };
    const inFiles = Object.fromEntries(
      Object.entries(values).map(([name, value]) => [`${name}_FILE`, file(name, `${value}\n`)]),
    );
    expect(readConfig({ ...others, ...inFiles })).toEqual(readConfig({ ...others, ...values }));
    expect(refusal({ BELLHOP_HOST_FILE: file('host', '::1') })).toContain('is not a setting');
  });

  test('is its content up to one line break, whatever the way to the file', () => {
    const path = file('token', 'a-token-of-some-length\r\n');
    symlinkSync(path, join(folder, 'link'));
    for (const given of [path, ` ${path} `, join(folder, 'link')]) {
      expect(readConfig({ BELLHOP_ADMIN_TOKEN_FILE: given }).adminToken).toBe(
        'a-token-of-some-length',
      );
    }
    expect(readConfig({ BELLHOP_ADMIN_TOKEN_FILE: ' ' })).toEqual(readConfig({}));
  });

  test.each<[string, () => string, string]>([
    ['missing', () => join(folder, 'missing'), 'cannot be read (ENOENT)'],
    ['a folder', () => folder, 'is not a file'],
    ['a device that never ends', () => '/dev/zero', 'is not a file'],
    ['empty', () => file('empty', '\n'), 'is empty'],
    ['blank', () => file('blank', ' \n\n'), 'is empty'],
    [
      'too large',
      () => file('large', 'x'.repeat(LARGEST_SECRET_FILE_BYTES + 1)),
      'is larger than 65536 bytes',
    ],
  ])('is refused with its name if the file is %s', (_name, path, reason) => {
    const given = path();
    for (const variable of ['BELLHOP_MASTER_KEY_FILE', 'BELLHOP_SANDBOX_REDIS_URL_FILE']) {
      expect(refusal({ [variable]: given })).toBe(
        `${variable} must name a file with the value: ${given} ${reason}.`,
      );
    }
  });

  test.skipIf(process.getuid?.() === 0)('is refused if Bellhop may not read the file', () => {
    const path = file('closed', 'hunter2');
    chmodSync(path, 0);
    expect(refusal({ BELLHOP_MASTER_KEY_FILE: path })).toContain('cannot be read (EACCES).');
  });

  test('is refused beside the setting itself, and together with all other problems', () => {
    const both = {
      BELLHOP_MASTER_KEY: MASTER_KEY,
      BELLHOP_MASTER_KEY_FILE: file('key', MASTER_KEY),
      BELLHOP_DEMO: 'perhaps',
    };
    expect(refusal(both).split('\n')).toEqual([
      'BELLHOP_MASTER_KEY_FILE must not be set together with BELLHOP_MASTER_KEY: remove one of them.',
      'BELLHOP_DEMO must be on or off, not "perhaps".',
    ]);
  });

  test('is checked like the setting, and never repeated', () => {
    const message = refusal({ BELLHOP_MASTER_KEY_FILE: file('bad', 'hunter2') });
    expect(message).toMatch(/^BELLHOP_MASTER_KEY must be 32 bytes in base64/);
    expect(message).not.toContain('hunter2');
  });

  test('is read once', () => {
    const path = file('once', MASTER_KEY);
    const variables = readSecretFiles({ BELLHOP_MASTER_KEY_FILE: path });
    writeFileSync(path, 'changed');
    expect(readConfig(variables).masterKey?.toString('base64')).toBe(MASTER_KEY);
  });

  test('can also be a setting that SIGHUP reloads', () => {
    const path = file('level', 'warn\n');
    expect(readConfig({ BELLHOP_LOG_LEVEL_FILE: path }).logLevel).toBe('warn');
    expect(refusal({ BELLHOP_LOG_LEVEL_FILE: file('loud', 'loud') })).toMatch(
      /^BELLHOP_LOG_LEVEL must be debug or /,
    );
    const shown = (variables: Record<string, string>) =>
      describeSettings(variables).find(({ name }) => name === 'BELLHOP_LOG_LEVEL')?.current;
    expect(shown({ BELLHOP_LOG_LEVEL_FILE: path })).toBe(`(in the file ${path})`);
    expect(shown({ BELLHOP_LOG_LEVEL: 'debug' })).toBe('debug');
    expect(shown({})).toBe('info');
  });

  test('is listed by the name of its file alone', () => {
    const listed = describeSettings({ BELLHOP_MASTER_KEY_FILE: '/run/secrets/key' });
    expect(listed.find(({ name }) => name === 'BELLHOP_MASTER_KEY')).toMatchObject({
      current: '(in the file /run/secrets/key)',
      file_variable: 'BELLHOP_MASTER_KEY_FILE',
    });
  });
});

describe('ports', () => {
  test.each([
    { BELLHOP_PRODUCTION_PORT: '8081' },
    { BELLHOP_SANDBOX_PORT: '8090' },
    { BELLHOP_BACK_OFFICE_PORT: '8080' },
    { BELLHOP_PORTAL_PORT: '8090' },
  ])('that are the same are refused: %j', (settings) => {
    expect(refusal(settings)).toBe(
      'BELLHOP_PRODUCTION_PORT, BELLHOP_SANDBOX_PORT, BELLHOP_BACK_OFFICE_PORT and BELLHOP_PORTAL_PORT must differ.',
    );
  });

  test('may all be 0', () => {
    const config = readConfig({
      BELLHOP_PRODUCTION_PORT: '0',
      BELLHOP_SANDBOX_PORT: '0',
      BELLHOP_BACK_OFFICE_PORT: '0',
    });
    expect([config.productionPort, config.sandboxPort, config.backOfficePort]).toEqual([0, 0, 0]);
  });

  test.each([
    { BELLHOP_ROLES: 'back-office', BELLHOP_BACK_OFFICE_PORT: '8080' },
    { BELLHOP_ROLES: 'partner-api', BELLHOP_PRODUCTION_PORT: '8090' },
    { BELLHOP_ENVIRONMENTS: 'sandbox', BELLHOP_SANDBOX_PORT: '8080' },
  ])('may be the same if only one of them is used: %j', (settings) => {
    expect(() => readConfig(settings)).not.toThrow();
  });
});

describe('the list of settings', () => {
  test('has each variable once, with a meaning that is a sentence', () => {
    const described = describeSettings({});
    const names = described.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    for (const environment of environmentNames) {
      expect(names).toContain(`BELLHOP_${environment.toUpperCase()}_RETRY_SCHEDULE`);
    }
    for (const { meaning, default: byDefault, current } of described) {
      expect(meaning).toMatch(/^[A-Z0-9].*\.$/);
      expect(byDefault).not.toBe('');
      expect(current).toBe(byDefault);
    }
  });

  test('shows current values, and secrets only as "(set)"', () => {
    const described = describeSettings({
      BELLHOP_HOST: ' 0.0.0.0 ',
      BELLHOP_DEMO: '  ',
      BELLHOP_MASTER_KEY: MASTER_KEY,
      BELLHOP_ADMIN_TOKEN: 'hunter2-hunter2-hunter2',
      BELLHOP_PRODUCTION_DATABASE_URL: 'postgres://user:hunter2@db/name',
      BELLHOP_SANDBOX_REDIS_URL: 'redis://:hunter2@cache',
      BELLHOP_SANDBOX_UPSTREAM_URL: 'http://user:hunter2@core',
    });
    const current = Object.fromEntries(described.map(({ name, current }) => [name, current]));
    expect(current).toMatchObject({
      BELLHOP_HOST: '0.0.0.0',
      BELLHOP_DEMO: 'on when the embedded sandbox is empty',
      BELLHOP_MASTER_KEY: '(set)',
      BELLHOP_ADMIN_TOKEN: '(set)',
      BELLHOP_PRODUCTION_DATABASE_URL: '(set)',
      BELLHOP_SANDBOX_REDIS_URL: '(set)',
    });
    expect(JSON.stringify(described)).not.toContain('hunter2');
    expect(JSON.stringify(described)).not.toContain(MASTER_KEY);
  });
});

function refusal(variables: Record<string, string | undefined>): string {
  try {
    readConfig(variables);
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return (error as Error).message;
  }
  throw new Error(`${JSON.stringify(variables)} was accepted.`);
}
