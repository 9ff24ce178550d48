/** The documentation's page on settings (`npm run docs`), from the tables that the server reads. */
import { environmentSettings, type Setting, settings } from './settings.ts';

export function settingsDocument(): string {
  return `# Settings

<!-- Written by "npm run docs" from server/src/config/settings.ts; change it there. -->

Bellhop is set up by environment variables, read once at the start. \`npx bellhop config\` lists them
with the values in force. An empty value counts as unset. A setting that Bellhop does not know, or
whose value it cannot use, stops the start with a sentence that names it.

${table('BELLHOP_', settings)}
## For each environment

Each of these exists twice: as \`BELLHOP_PRODUCTION_…\` and as \`BELLHOP_SANDBOX_…\`.

${table('BELLHOP_<ENV>_', environmentSettings)}
## How values are written

- A time is a whole number and a unit: \`500ms\`, \`10s\`, \`5m\`, \`12h\`, \`90d\`.
- A retry schedule lists the waits before each retry, separated by commas; \`14x12h\` is 14 waits of
  12 hours each.
- A list of CIDRs is separated by commas; a lone address counts as itself alone.
- A range of dates names its first and its last day: \`2025-10-01..2025-12-31\`.
- A secret never appears in the log, in a message or in \`npx bellhop config\`.
`;
}

function table(prefix: string, entries: Record<string, Setting<unknown>>): string {
  const rows = Object.values(entries).map((setting) => {
    const variable = setting.variable.startsWith(prefix)
      ? setting.variable
      : prefix + setting.variable;
    const secret = setting.secret ? ' A secret.' : '';
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
