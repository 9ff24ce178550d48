/** Dashboards and alert rules use only existing metrics, and every alert has a section in the runbook. */
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { folderWith, pathFolders } from '../../kit/find.ts';
import { temporaryFolder } from '../../test/support.ts';
import { newCertificate } from '../testing/certificate-files.ts';
import { alertRules, panels, readText } from '../testing/deploy-files.ts';
import { type Family, readPrometheus } from '../testing/prometheus.ts';
import { repository } from '../testing/shell-in-markdown.ts';
import { sharedBellhop } from './one-bellhop-per-file.ts';

/** Metrics of Prometheus itself, a blackbox exporter and a node exporter. */
const OTHERS = ['up', 'probe_success', 'node_filesystem_avail_bytes', 'node_filesystem_size_bytes'];
const WORDS = ['and', 'or', 'unless', 'bool'];
const RUNBOOK = 'docs/operating/runbook.md';
const RUNBOOK_PARTS = ['Symptoms', 'What it means', 'Look at', 'Do'];

// With a certificate, a mail server and backups, so that their metrics are there too.
const bellhop = sharedBellhop(async () => ({
  ...(await newCertificate()).settings('PRODUCTION'),
  BELLHOP_SMTP_URL: 'smtp://127.0.0.1:9',
  BELLHOP_MAIL_FROM: 'noreply@bellhop.example',
  BELLHOP_BACKUP_DIR: await temporaryFolder(),
}));
let families: Map<string, Family>;

beforeAll(async () => {
  const { authorization } = await bellhop.newKey('sandbox');
  const url = `${bellhop.addresses.sandbox}/api/b2b/v3/overview/`;
  await (await fetch(url, { headers: { authorization } })).arrayBuffer();
  families = readPrometheus(await (await fetch(`${bellhop.addresses.backOffice}/metrics`)).text());
});

function dashboardQueries(): string[] {
  return panels().flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
}

/** Every name in a query that is not a function, keyword or label. */
function metricsIn(query: string): string[] {
  const bare = query
    .replaceAll(/"[^"]*"/g, '')
    .replaceAll(/\{[^}]*\}|\[[^\]]*\]/g, ' ')
    .replaceAll(/\b(by|without|on|ignoring)\s*\([^)]*\)/g, ' ');
  const names = [...bare.matchAll(/[a-zA-Z_:][\w:]*(?!\s*\(|[\w:])/g)].map(([name]) => name);
  return names.filter((name) => !WORDS.includes(name));
}

function familyOf(metric: string): Family | undefined {
  return families.get(metric) ?? families.get(metric.replace(/_(bucket|sum|count)$/, ''));
}

function checkQuery(query: string): void {
  expect(metricsIn(query), query).not.toEqual([]);
  for (const metric of metricsIn(query)) {
    if (!OTHERS.includes(metric)) expect(familyOf(metric), metric).toBeDefined();
  }
  for (const [, metric = '', matchers = ''] of query.matchAll(
    /((?:bellhop|process|nodejs)_\w+)\{([^}]*)\}/g,
  )) {
    const samples = familyOf(metric)?.samples ?? [];
    for (const [, label = '', operator, value] of matchers.matchAll(
      /(\w+)(=~|!~|=|!=)"([^"]*)"/g,
    )) {
      // Prometheus itself adds it.
      if (label === 'job') continue;
      expect(Object.keys(samples[0]?.labels ?? {}), `${metric} ${label}`).toContain(label);
      // A status has no series before its first reply; all other series exist from the start.
      if (operator !== '=' || label === 'status') continue;
      expect(samples.map(({ labels }) => labels[label])).toContain(value);
    }
  }
}

test('alert rules query only existing metrics', () => {
  expect(alertRules().length).toBeGreaterThan(0);
  for (const { expr } of alertRules()) checkQuery(expr);
});

test('the dashboard queries only existing metrics, and shows all of them', () => {
  for (const query of dashboardQueries()) checkQuery(query);
  const shown = dashboardQueries()
    .flatMap(metricsIn)
    .map((metric) => familyOf(metric)?.name);
  for (const name of families.keys()) expect(shown).toContain(name);
});

test("the dashboard's panels have unique ids and do not overlap", () => {
  const all = panels();
  expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
  const taken = new Set<string>();
  for (const { title, gridPos } of all) {
    const { x, y, w, h } = gridPos;
    expect(x + w, title).toBeLessThanOrEqual(24);
    for (let row = y; row < y + h; row++) {
      for (let column = x; column < x + w; column++) {
        expect(taken.has(`${row} ${column}`), title).toBe(false);
        taken.add(`${row} ${column}`);
      }
    }
  }
});

test('every alert has a section in the runbook, and every section an alert', () => {
  const runbook = readText(RUNBOOK);
  const parts = runbook.split(/^## /m).slice(1);
  const alerts = alertRules().map(({ alert }) => alert);
  expect(parts.map((part) => part.split('\n')[0])).toEqual(alerts);
  for (const part of parts) {
    const heads = [...part.matchAll(/^\*\*(.+?)\.\*\*/gm)].map(([, head]) => head);
    expect(heads, part.split('\n')[0]).toEqual(RUNBOOK_PARTS);
  }
  for (const { alert, annotations } of alertRules()) {
    expect(annotations.runbook).toBe(`${RUNBOOK}#${alert.toLowerCase()}`);
    expect(annotations.summary).toMatch(/\.$/);
  }
  for (const { description = '' } of panels()) {
    const named = /Runbook: (.+)\./.exec(description)?.[1]?.split(', ') ?? [];
    expect(alerts).toEqual(expect.arrayContaining(named));
  }
});

test('docs/operating/monitoring.md lists every metric, its kind, labels and meaning', () => {
  const rows = readText('docs/operating/monitoring.md').matchAll(
    /^\| `((?:bellhop|process|nodejs)_\w+)` \|(.*)\|$/gm,
  );
  const documented = [...rows].map(([, name = '', rest = '']) => {
    const [type, labels = '', help] = rest.split('|').map((cell) => cell.trim());
    const names = [...labels.matchAll(/`(\w+)`/g)].map(([, label]) => label);
    return { name, type, labels: names.sort(), help };
  });
  const real = [...families.values()].map(({ name, type, help, samples }) => {
    const labels = Object.keys(samples[0]?.labels ?? {}).filter((label) => label !== 'le');
    return { name, type, labels: labels.sort(), help };
  });
  const byName = (a: { name: string }, b: { name: string }) => (a.name < b.name ? -1 : 1);
  expect(documented.sort(byName)).toEqual(real.sort(byName));
});

test('the source code names no other metrics', () => {
  const source = join(repository, 'server', 'src');
  const made = /\.(?:counters?|readCounter|gauge|histogram)\(\s*'(\w+)'/g;
  const named = readdirSync(source, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    .flatMap((file) => [...readFileSync(join(source, file), 'utf8').matchAll(made)])
    .map(([, name = '']) => name);
  expect([...new Set(named)].sort()).toEqual([...families.keys()].sort());
});

const programs = folderWith(['promtool'], pathFolders());
if (!programs) {
  console.log(
    'Skipping tests of the alert rules: promtool is missing (apt-get install prometheus).',
  );
}

describe.skipIf(programs === null)('with promtool', () => {
  const promtool = (...args: string[]) =>
    promisify(execFile)(join(programs ?? '', 'promtool'), args, { cwd: repository });

  test('the rules and the scrape example are valid', async () => {
    await promtool('check', 'rules', 'deploy/prometheus/alerts.yml');
    await promtool('check', 'config', '--syntax-only', 'deploy/prometheus/prometheus.yml');
  });

  test('each rule fires when it should, and none fires on a healthy system', async () => {
    await promtool('test', 'rules', 'deploy/prometheus/alerts.test.yml');
    for (const { alert } of alertRules()) {
      expect(readText('deploy/prometheus/alerts.test.yml')).toContain(`alertname="${alert}"`);
    }
  });

  test("the dashboard's queries are valid", async () => {
    const rules = dashboardQueries().map((query, i) => ({
      record: `query_${i}`,
      expr: query.replaceAll('$__rate_interval', '5m').replaceAll('$environment', '.+'),
    }));
    const file = join(await temporaryFolder(), 'queries.yml');
    // JSON is YAML.
    await writeFile(file, JSON.stringify({ groups: [{ name: 'dashboard', rules }] }));
    await promtool('check', 'rules', file);
  });
});
