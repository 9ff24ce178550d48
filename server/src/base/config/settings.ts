/**
 * Every setting there is: its variable, what it means, its default, how it is read. `bellhop config`,
 * the documentation and the check for unknown variables all come from these two tables.
 */
import { color, logoFile, portalName } from './brand.ts';
import { FEWEST_CONNECTIONS, MOST_CONNECTIONS } from './database-connections.ts';
import { portalScopes } from './portal-scopes.ts';
import { redisUrl } from './redis-address.ts';
import { mailSender, smtpUrl } from './smtp.ts';
import {
  cidrs,
  cidrsOrNone,
  dateRange,
  drainDelay,
  duration,
  host,
  issuerUrl,
  listOf,
  listOrNone,
  masterKey,
  masterKeys,
  oneOf,
  originUrl,
  port,
  positiveDuration,
  printableAscii,
  proxyUrl,
  recheckTime,
  retrySchedule,
  roleMap,
  scopes,
  secretToken,
  text,
  timeWithoutDatabase,
  upstreamUrl,
  url,
  wholeNumber,
} from './values.ts';

export interface Setting<T> {
  variable: string;
  meaning: string;
  /** As text, parsed like a given value; undefined if "unset" has its own meaning. */
  default: string | undefined;
  /** Shown as the default if there is none, or if a description is clearer than the value. */
  defaultNote?: string;
  /** An empty value is a value of its own, and not the default. */
  isEmptyAValue?: boolean;
  /** Not shown, and can also be in a file: see secret-files.ts. */
  secret?: boolean;
  /** Can also be in a file, although it is not a secret, because SIGHUP can read only files again. */
  reloadable?: boolean;
  read(text: string): T;
}

export const environmentNames = ['production', 'sandbox'] as const;
export type EnvironmentName = (typeof environmentNames)[number];

export const roles = ['partner-api', 'delivery', 'back-office', 'portal', 'monitoring'] as const;
export type Role = (typeof roles)[number];

function setting<T>(
  variable: string,
  defaultText: string,
  read: (text: string) => T,
  meaning: string,
): Setting<T> {
  return { variable, default: defaultText, read, meaning };
}

function optional<T>(
  variable: string,
  defaultNote: string,
  read: (text: string) => T,
  meaning: string,
  more: { secret?: boolean } = {},
): Setting<T | undefined> {
  return { variable, default: undefined, defaultNote, read, meaning, ...more };
}

export const settings = {
  host: setting('BELLHOP_HOST', '127.0.0.1', host, 'Address that all listeners bind to.'),
  productionPort: setting(
    'BELLHOP_PRODUCTION_PORT',
    '8080',
    port,
    'Port of the production partner API; 0 picks a free one.',
  ),
  sandboxPort: setting(
    'BELLHOP_SANDBOX_PORT',
    '8081',
    port,
    'Port of the sandbox partner API; 0 picks a free one.',
  ),
  backOfficePort: setting(
    'BELLHOP_BACK_OFFICE_PORT',
    '8090',
    port,
    'Port of the back office; 0 picks a free one.',
  ),
  backOfficeTlsCertFile: optional(
    'BELLHOP_BACK_OFFICE_TLS_CERT_FILE',
    'unset: http',
    text,
    'PEM file with the certificate of the back office, followed by its intermediates: the back office then speaks https. Read again on SIGHUP.',
  ),
  backOfficeTlsKeyFile: optional(
    'BELLHOP_BACK_OFFICE_TLS_KEY_FILE',
    'unset: http',
    text,
    'PEM file with the private key of that certificate.',
  ),
  portalPort: setting(
    'BELLHOP_PORTAL_PORT',
    '8085',
    port,
    "Port of the partners' portal; 0 picks a free one.",
  ),
  portalTlsCertFile: optional(
    'BELLHOP_PORTAL_TLS_CERT_FILE',
    'unset: http',
    text,
    'PEM file with the certificate of the portal, followed by its intermediates: the portal then speaks https. Read again on SIGHUP.',
  ),
  portalTlsKeyFile: optional(
    'BELLHOP_PORTAL_TLS_KEY_FILE',
    'unset: http',
    text,
    'PEM file with the private key of that certificate.',
  ),
  portalUrl: optional(
    'BELLHOP_PORTAL_URL',
    'unset: where the portal listens',
    originUrl,
    'Address of the portal as partners see it, such as https://portal.example. The links that support makes lead there.',
  ),
  portalName: setting(
    'BELLHOP_PORTAL_NAME',
    'Partner portal',
    portalName,
    'Name that people see on every page of the portal, such as the name of your company.',
  ),
  portalLogo: optional(
    'BELLHOP_PORTAL_LOGO_FILE',
    'unset: a bell',
    logoFile,
    'SVG, PNG or WebP image of at most 100 kB that the portal shows beside the name.',
  ),
  portalColor: optional(
    'BELLHOP_PORTAL_COLOR',
    "unset: the environment's",
    color,
    'Colour of links and buttons in the portal, such as #0a6b4f. Where it would be hard to read, it is made darker or lighter.',
  ),
  smtpServer: optional(
    'BELLHOP_SMTP_URL',
    'unset: notices are shown in the portal and the console only',
    smtpUrl,
    'Mail server for notices to partners, such as smtps://user:password@mail.example. With smtp:// (port 587), the connection is encrypted as soon as the server offers it, and always before a password is sent, unless the server is on this machine.',
    { secret: true },
  ),
  mailFrom: optional(
    'BELLHOP_MAIL_FROM',
    'unset',
    mailSender,
    'Sender of those mails, such as Example Travel <noreply@example.com>. Required with BELLHOP_SMTP_URL.',
  ),
  environments: setting(
    'BELLHOP_ENVIRONMENTS',
    'production,sandbox',
    listOf(...environmentNames),
    'Environments that this process serves.',
  ),
  roles: setting(
    'BELLHOP_ROLES',
    'partner-api,delivery,back-office,portal',
    listOf(...roles),
    'Jobs that this process does. `back-office` includes `monitoring`, which alone serves only health checks and metrics, on the port of the back office.',
  ),
  drainDelayMs: setting(
    'BELLHOP_DRAIN_DELAY',
    '0s',
    drainDelay,
    'How long the listeners go on after SIGTERM or SIGINT, at most 10m, while readiness already says 503: for balancers, which need a moment to notice. Then the stop begins, which takes up to 15 s. A second signal ends the delay.',
  ),
  dataDir: setting(
    'BELLHOP_DATA_DIR',
    './data',
    text,
    'Folder for the embedded databases, one subfolder per environment, and for the generated secrets.',
  ),
  backupDir: optional(
    'BELLHOP_BACKUP_DIR',
    'unset: `bellhop backup` writes to ./backups, and the age of backups is not watched',
    text,
    'Folder with your backups: those of `bellhop backup`, or dumps of PostgreSQL. The metric `bellhop_backup_newest_timestamp_seconds` says when the newest file or folder in it was written.',
  ),
  sandboxOffer: setting(
    'BELLHOP_SANDBOX_OFFER',
    '2025-10-01..2025-12-31',
    dateRange,
    'Integration start dates for which a sandbox partner may be created.',
  ),
  masterKey: optional(
    'BELLHOP_MASTER_KEY',
    'generated into the data folder',
    masterKey,
    '32 bytes in base64 that seal the API keys at rest. Required with PostgreSQL.',
    { secret: true },
  ),
  previousMasterKeys: {
    variable: 'BELLHOP_PREVIOUS_MASTER_KEYS',
    default: '',
    secret: true,
    read: masterKeys,
    meaning:
      'Earlier master keys, separated by commas or line breaks: what they have sealed still opens. `bellhop reseal` moves everything to the current one.',
  } satisfies Setting<Buffer[]>,
  adminToken: optional(
    'BELLHOP_ADMIN_TOKEN',
    'generated, printed once at the first start',
    secretToken,
    'The first back-office token, role admin.',
    { secret: true },
  ),
  backOfficeUrl: optional(
    'BELLHOP_BACK_OFFICE_URL',
    'unset: the host that the browser asked for',
    originUrl,
    'Address of the back office as browsers see it, such as https://bellhop.example. The OpenID Connect provider sends people back to /console/oidc/callback there.',
  ),
  oidcIssuer: optional(
    'BELLHOP_OIDC_ISSUER',
    'unset: people sign in with tokens only',
    issuerUrl,
    'OpenID Connect provider that signs people in to the console, such as https://login.example.com.',
  ),
  oidcClientId: optional(
    'BELLHOP_OIDC_CLIENT_ID',
    'unset',
    printableAscii,
    'Id under which the provider knows Bellhop. Required with an issuer.',
  ),
  oidcClientSecret: optional(
    'BELLHOP_OIDC_CLIENT_SECRET',
    'unset: a public client, protected by PKCE alone',
    printableAscii,
    'Secret of that client.',
    { secret: true },
  ),
  oidcScopes: setting(
    'BELLHOP_OIDC_SCOPES',
    'openid profile email',
    scopes,
    'Scopes that Bellhop asks the provider for. Some providers send the roles only if you ask for another scope.',
  ),
  oidcRolesClaim: setting(
    'BELLHOP_OIDC_ROLES_CLAIM',
    'roles',
    printableAscii,
    "Claim with a person's roles or groups. A dot leads into a claim, as in realm_access.roles.",
  ),
  oidcRoleMap: setting(
    'BELLHOP_OIDC_ROLE_MAP',
    'admin=admin,support=support,viewer=viewer',
    roleMap,
    'Role that each value of the claim gives: viewer, support or admin. With several values, the strongest role counts; with none of these values, nobody gets in.',
  ),
  oidcRecheckMs: setting(
    'BELLHOP_OIDC_RECHECK',
    '1h',
    recheckTime,
    'How long a session of a person is served after the provider last confirmed their role, from 1m to 12h; 0s: as long as the session lasts.',
  ),
  oidcSignOut: setting(
    'BELLHOP_OIDC_SIGN_OUT',
    'provider',
    oneOf('provider', 'bellhop'),
    'Where people sign out: also at the provider, if it has a page for that, or of Bellhop alone.',
  ),
  demo: optional(
    'BELLHOP_DEMO',
    'on when the embedded sandbox is empty',
    oneOf('on', 'off'),
    'Creates a demo partner and key in the sandbox and prints a curl command that works.',
  ),
  caFile: optional(
    'BELLHOP_CA_FILE',
    'unset: only the authorities that Node knows',
    text,
    'PEM file with certificate authorities that Bellhop also trusts when it calls PostgreSQL, Redis, the upstream, the OpenID Connect provider, receivers and others.',
  ),
  trustedProxies: setting(
    'BELLHOP_TRUSTED_PROXIES',
    '',
    cidrs,
    'CIDRs of proxies whose X-Forwarded-For, -Proto and -Host headers are trusted.',
  ),
  alertUrl: optional(
    'BELLHOP_ALERT_URL',
    'unset: alerts are log lines and metrics',
    url('http:', 'https:'),
    'URL to which alerts are POSTed as JSON: a midoffice that fails for an hour, an exhausted delivery.',
    { secret: true },
  ),
  logLevel: {
    ...setting(
      'BELLHOP_LOG_LEVEL',
      'info',
      oneOf('debug', 'info', 'warn', 'error', 'silent'),
      'Lowest level of log lines that are written to stderr: debug, info, warn, error or silent. In a file that BELLHOP_LOG_LEVEL_FILE names, SIGHUP reads it again.',
    ),
    reloadable: true,
  },
  logFormat: setting(
    'BELLHOP_LOG_FORMAT',
    'auto',
    oneOf('auto', 'pretty', 'json'),
    'Form of the log lines: one JSON object each, or shorter lines for people. "auto" writes the latter on a terminal and JSON elsewhere.',
  ),
};

/** One of each per environment: the variable is BELLHOP_PRODUCTION_… or BELLHOP_SANDBOX_…. */
export const environmentSettings = {
  url: optional(
    'URL',
    'unset: where the partner API listens',
    originUrl,
    'Address of the partner API as partners see it, such as https://api.example. The API documentation names it.',
  ),
  tlsCertFile: optional(
    'TLS_CERT_FILE',
    'unset: http',
    text,
    'PEM file with the certificate of the partner API, followed by its intermediates: the partner API then speaks https. Read again on SIGHUP.',
  ),
  tlsKeyFile: optional(
    'TLS_KEY_FILE',
    'unset: http',
    text,
    'PEM file with the private key of that certificate.',
  ),
  databaseUrl: optional(
    'DATABASE_URL',
    'unset: the embedded database',
    url('postgres:', 'postgresql:'),
    'PostgreSQL database, used by this environment only.',
    { secret: true },
  ),
  databaseDirectUrl: optional(
    'DATABASE_DIRECT_URL',
    'as …_DATABASE_URL',
    url('postgres:', 'postgresql:'),
    'PostgreSQL itself, where …_DATABASE_URL is a pooler such as PgBouncer: for what needs a session of its own.',
    { secret: true },
  ),
  databaseConnections: setting(
    'DATABASE_CONNECTIONS',
    '10',
    wholeNumber(FEWEST_CONNECTIONS, MOST_CONNECTIONS),
    `The most connections that this process has to PostgreSQL, from ${FEWEST_CONNECTIONS} to ${MOST_CONNECTIONS}, behind a pooler or not.`,
  ),
  redisUrl: optional(
    'REDIS_URL',
    'unset: limits are kept in this process and its database',
    redisUrl,
    'Redis in which all nodes share the limits; both environments may use the same one, because its keys carry the environment: redis://user:password@host:port/database, redis+sentinel://user:password@host:port,host:port/name or redis+cluster://user:password@host:port,host:port. With TLS, rediss… instead of redis….',
    { secret: true },
  ),
  serveWithoutDatabaseMs: setting(
    'SERVE_WITHOUT_DATABASE',
    '2m',
    timeWithoutDatabase,
    'How long keys that signed in before are served while PostgreSQL does not answer, at most 12h; 0s: not at all.',
  ),
  errorForm: setting(
    'ERROR_FORM',
    'object',
    oneOf('object', 'code'),
    'Form of `error` in failed partner API replies: an object with code and message, or the bare code.',
  ),
  upstreamUrl: optional(
    'UPSTREAM_URL',
    'unset: 501',
    upstreamUrl,
    'Booking core to which the other 42 endpoints are forwarded.',
  ),
  upstreamTlsCertFile: optional(
    'UPSTREAM_TLS_CERT_FILE',
    'unset: none',
    text,
    'PEM file with the certificate that Bellhop shows to the upstream, which must be an https address. Read again on SIGHUP.',
  ),
  upstreamTlsKeyFile: optional(
    'UPSTREAM_TLS_KEY_FILE',
    'unset: none',
    text,
    'PEM file with the private key of that certificate.',
  ),
  upstreamTimeoutMs: setting(
    'UPSTREAM_TIMEOUT',
    '60s',
    positiveDuration,
    'Longest wait for the upstream to start its reply, and between two parts of it.',
  ),
  retrySchedule: setting(
    'RETRY_SCHEDULE',
    '30s,60s,90s,120s,150s,300s,1h,14x12h',
    retrySchedule,
    'Waits before each retry of a webhook.',
  ),
  receiverTimeoutMs: setting(
    'RECEIVER_TIMEOUT',
    '10s',
    positiveDuration,
    'Time for one whole webhook attempt: connect, send, reply headers and body.',
  ),
  receiverAllow: {
    ...setting(
      'RECEIVER_ALLOW',
      '',
      cidrsOrNone,
      'CIDRs of non-public addresses that receivers may use; plain http is allowed there too. "none" allows no exception.',
    ),
    defaultNote:
      'unset: none; in an embedded sandbox while BELLHOP_HOST is a loopback address: loopback addresses',
  },
  receiverProxy: optional(
    'RECEIVER_PROXY',
    'unset: webhooks go out directly',
    proxyUrl,
    'HTTP proxy (CONNECT) through which all webhooks and test events go out: http://user:password@host:port. Bellhop still resolves and checks the addresses of receivers itself.',
    { secret: true },
  ),
  portalKeyScopes: {
    ...setting(
      'PORTAL_KEY_SCOPES',
      'read,redeliver',
      listOrNone(...portalScopes),
      `What people may do in the portal who sign in there with a key: ${portalScopes.join(', ')}. Empty, or "none": nobody can sign in with a key, only with a link from support.`,
    ),
    isEmptyAValue: true,
  },
  retentionMs: setting(
    'RETENTION',
    '90d',
    duration,
    'How long settled deliveries and their event ids are kept; 0s keeps them forever.',
  ),
  callsRetentionMs: setting(
    'CALLS_RETENTION',
    '7d',
    duration,
    'How long refused and failed calls of the partner API are kept; 0d: they are not recorded.',
  ),
};
