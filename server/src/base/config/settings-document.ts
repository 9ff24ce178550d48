/** The documentation's page on settings, and the Helm chart's list of them (`npm run docs`), from the tables that the server reads. */

import { allSettings, canBeInFile } from './config.ts';
import { fileVariable, LARGEST_SECRET_FILE_BYTES } from './secret-files.ts';
import { environmentSettings, type Setting, settings } from './settings.ts';
import type { Formed } from './values.ts';

export function settingsDocument(): string {
  return `# Settings

<!-- Written by "npm run docs" from server/src/base/config/settings.ts; change it there. -->

Bellhop is configured with environment variables, which it reads once at the start.
\`npx bellhop config\` lists them with their current values. An empty value counts as unset. If a
setting is unknown or its value is invalid, Bellhop refuses to start and names the setting.

${table('BELLHOP_', settings)}
## For each environment

Each of these exists twice: as \`BELLHOP_PRODUCTION_…\` and as \`BELLHOP_SANDBOX_…\`.

${table('BELLHOP_<ENV>_', environmentSettings)}
## How values are written

- A time is a whole number and a unit: \`500ms\`, \`10s\`, \`5m\`, \`12h\`, \`90d\`.
- A retry schedule is a list of the waits before each retry, separated by commas; \`14x12h\` means 14
  waits of 12 hours each.
- CIDRs are separated by commas; you can also write a single address.
- A map of roles is a list of \`value=role\`, separated by commas; a comma inside a value is written \`\\,\`.
- A range of dates has its first and its last day: \`2025-10-01..2025-12-31\`.

## Secrets

A secret never appears in the log, in a message or in \`npx bellhop config\`.

Every secret can be in a file instead. Add \`_FILE\` to the name of the setting, and set it to the name of the file: with
\`BELLHOP_MASTER_KEY_FILE=/run/secrets/master-key\`, Bellhop reads the master key from that file. The file has the value
and nothing else; one line break at its end is ignored. Bellhop refuses to start if both settings are set, or if the file
is missing, unreadable, empty or larger than ${LARGEST_SECRET_FILE_BYTES.toLocaleString('en')} bytes. Commands read \`BELLHOP_TOKEN_FILE\` and
\`BELLHOP_API_KEY_FILE\` in the same way. The log level is not a secret, but has \`BELLHOP_LOG_LEVEL_FILE\`, so that it can
change [while Bellhop runs](operating/upgrading.md#signals).
`;
}

function table(prefix: string, entries: Record<string, Setting<unknown>>): string {
  const rows = Object.values(entries).map((setting) => {
    const variable = setting.variable.startsWith(prefix)
      ? setting.variable
      : prefix + setting.variable;
    const secret = setting.secret ? ' [A secret](#secrets).' : '';
    return `| \`${variable}\` | ${shownDefault(setting)} | ${cell(setting.meaning)}${secret} |\n`;
  });
  return `| setting | default | meaning |\n|---|---|---|\n${rows.join('')}`;
}

function shownDefault(setting: Setting<unknown>): string {
  return setting.default ? `\`${cell(setting.default)}\`` : cell(setting.defaultNote ?? 'empty');
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|');
}

type Listed = ReturnType<typeof allSettings>[number];

function formOf({ variable, setting: { read } }: Listed): [string, string][] {
  return 'form' in read ? [[variable, (read as Formed<unknown>).form]] : [];
}

/** What the Helm chart checks its values against. */
export function chartSettings(): string {
  const all = allSettings();
  const isSecret = ({ setting }: (typeof all)[number]) => setting.secret === true;
  const names = (some: typeof all) => some.map(({ variable }) => variable);
  const list = {
    settings: names(all.filter((one) => !isSecret(one))),
    secrets: names(all.filter(isSecret)),
    forms: Object.fromEntries(all.flatMap(formOf)),
    files: names(all.filter(({ setting }) => canBeInFile(setting))).map(fileVariable),
  };
  return `${JSON.stringify(list, null, 2)}\n`;
}
