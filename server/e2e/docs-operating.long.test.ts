/** The pages for operators: every command works, and every link leads to a page. */
import { existsSync, readdirSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../test/support.ts';
import { allSettings, canBeInFile } from '../src/base/config/config.ts';
import { fileVariable } from '../src/base/config/secret-files.ts';
import { startBellhop } from '../testing/bellhop.ts';
import { readText } from '../testing/deploy-files.ts';
import { BACK_OFFICE_ONLY } from '../testing/engines.ts';
import { repository, runShell, shellBlock, shellBlocks } from '../testing/shell-in-markdown.ts';
import { sharedBellhop } from './one-bellhop-per-file.ts';

// These tests start whole processes, which is slow on a busy machine.
const bellhop = sharedBellhop();
const OPERATING = markdownIn('docs/operating');
const PAGES = ['docs/README.md', 'docs/quick-start.md', 'deploy/README.md', ...OPERATING];
/** Moving code or renaming a heading can break links on any page. */
const LINKING = [
  ...['README', 'ARCHITECTURE', 'CHANGELOG', 'CONTRIBUTING', 'SECURITY'].map(
    (name) => `${name}.md`,
  ),
  ...['deploy/README.md', 'partner/README.md'],
  ...markdownIn('docs'),
];
/** Run by docs-backup.long.test.ts. */
const BACKUP = [
  ...['embedded-backup', 'embedded-key', 'embedded-restore', 'embedded-restore-key'],
  ...['postgres-backup', 'postgres-restore'],
];
/** Run by docs-rotating.long.test.ts. */
const ROTATING = ['new-key', 'reseal', 'make-key', 'check'];
/** Run by move.long.test.ts. */
const MOVING = ['move-up', 'move-undo', 'move-back'];
/** Run by cli-import.long.test.ts. */
const IMPORT = [
  ...[
    'old-system',
    'dry-run',
    'import',
    'old-credentials',
    'export',
    'export-api-keys',
    'in-parts',
  ],
];
const HERE = ['wait-until-ready', 'show-settings', 'make-master-key'];

test('the README runs and tests Bellhop in one line each', () => {
  for (const command of ['npm ci && npm start', 'npm ci && npm test']) {
    expect(readText('README.md')).toContain(`\`\`\`sh\n${command}\n\`\`\``);
  }
});

test('all commands of the other pages work', async () => {
  const ready = await runShell(shellBlock('docs/operating/upgrading.md', 'wait-until-ready'), {
    env: { OFFICE: bellhop.addresses.backOffice },
  });
  expect(JSON.parse(ready)).toEqual({ status: 'ready', troubles: [] });
  const page = 'docs/operating/README.md';
  expect(await runShell(shellBlock(page, 'show-settings'))).toContain('BELLHOP_DATA_DIR');
  const key = await runShell(shellBlock(page, 'make-master-key'));
  const shown = await runShell(shellBlock(page, 'show-settings'), {
    env: { BELLHOP_MASTER_KEY: key.trim() },
  });
  expect(shown).not.toContain(key.trim());
});

test('a start on a database that a newer release has migrated is refused, as upgrading.md says', async () => {
  const BELLHOP_DATA_DIR = await temporaryFolder();
  const settings = { ...BACK_OFFICE_ONLY, BELLHOP_DATA_DIR };
  await (await startBellhop(settings)).stop();
  const database = new DatabaseSync(join(BELLHOP_DATA_DIR, 'sandbox', 'bellhop.db'), {
    timeout: 10_000,
  });
  database.exec("insert into kysely_migration values ('9999-of-the-future', '2099-01-01')");
  database.close();
  await expect(startBellhop(settings)).rejects.toThrow(/9999-of-the-future/);
});

test('every block of shell is run by a test', () => {
  const kinds = OPERATING.flatMap(shellBlocks).map(({ kind }) => kind);
  expect(kinds.sort()).toEqual([...BACKUP, ...ROTATING, ...MOVING, ...IMPORT, ...HERE].sort());
});

test('every setting that a page names exists', () => {
  const known = allSettings().flatMap(({ variable, setting }) => {
    const names = [variable, variable.replace(/_(PRODUCTION|SANDBOX)_/, '_<ENV>_')];
    return canBeInFile(setting) ? [...names, ...names.map(fileVariable)] : names;
  });
  for (const page of PAGES) {
    for (const [name] of readText(page).matchAll(/(?<!_)BELLHOP_(<ENV>_)?[A-Z_]*[A-Z]/g)) {
      expect(known, `${page} names ${name}`).toContain(name);
    }
  }
});

test('every link on every page leads to an existing file and heading', () => {
  for (const page of LINKING) {
    for (const [, target = ''] of readText(page).matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^https?:/.test(target)) continue;
      const [path = '', heading] = target.split('#');
      const file = path === '' ? page : join(dirname(page), path);
      expect(existsSync(join(repository, file)), `${page} links to ${target}`).toBe(true);
      if (heading) expect(headingsOf(file), `${page} links to ${target}`).toContain(heading);
    }
  }
});

function headingsOf(file: string): string[] {
  return [...readText(file).matchAll(/^#+ (.+)$/gm)].map(([, text = '']) =>
    text
      .toLowerCase()
      .replaceAll(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  );
}

function markdownIn(folder: string): string[] {
  return readdirSync(join(repository, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => relative('.', join(folder, name)));
}
