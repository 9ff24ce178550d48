import { writeFile } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { auditDependencies, judgeAudit } from './audit.ts';
import { listening, temporaryFolder } from './support.ts';

/** A project with one production and one development dependency, audited by a registry of our own. */
async function audit(registry: RequestListener) {
  const at = await listening(createServer(registry));
  const folder = await temporaryFolder();
  const own = { name: 'audited', version: '1.0.0' };
  const dependencies = { dependencies: { shipped: '1.0.0' }, devDependencies: { tool: '1.0.0' } };
  await writeFile(join(folder, 'package.json'), JSON.stringify({ ...own, ...dependencies }));
  const packages = {
    '': { ...own, ...dependencies },
    'node_modules/shipped': { version: '1.0.0' },
    'node_modules/tool': { version: '1.0.0', dev: true },
  };
  const lock = { ...own, lockfileVersion: 3, requires: true, packages };
  await writeFile(join(folder, 'package-lock.json'), JSON.stringify(lock));
  const { port } = at;
  const cache = await temporaryFolder();
  return auditDependencies(folder, [
    ...[`--registry=http://127.0.0.1:${port}/`, `--cache=${cache}`, '--fetch-retries=0'],
  ]);
}

function advisoriesFor(name: string, severity: string): RequestListener {
  const advisory = {
    ...{ id: 1, url: 'https://advisories.example/1', title: 'Prototype pollution', severity },
    ...{ vulnerable_versions: '<2.0.0', cwe: [], cvss: { score: 0, vectorString: null } },
  };
  const versions = { '1.0.0': { name, version: '1.0.0' } };
  const document = { name, 'dist-tags': { latest: '1.0.0' }, versions };
  return (request, response) => {
    response.setHeader('content-type', 'application/json');
    const isAudit = request.url?.endsWith('/advisories/bulk');
    response.end(JSON.stringify(isAudit ? { [name]: [advisory] } : document));
  };
}

describe('npm audit, as we run it', () => {
  test.each(['high', 'critical'])(
    'fails on a %s vulnerability of a dependency',
    async (severity) => {
      const { outcome, lines } = await audit(advisoriesFor('shipped', severity));
      expect(outcome).toBe('failed');
      expect(lines).toEqual([
        `shipped: ${severity}. Prototype pollution (https://advisories.example/1).`,
      ]);
    },
  );

  test('passes on a moderate one, and names it', async () => {
    expect(await audit(advisoriesFor('shipped', 'moderate'))).toEqual({
      outcome: 'passed',
      lines: ['Dependencies: no serious vulnerability is known. Less serious ones: shipped.'],
    });
  });

  test('passes on a critical one of a tool that is not shipped', async () => {
    const { outcome } = await audit(advisoriesFor('tool', 'critical'));
    expect(outcome).toBe('passed');
  });

  test('is skipped if the registry does not answer audits', async () => {
    const { outcome, lines } = await audit((_request, response) => {
      response.statusCode = 405;
      response.end();
    });
    expect(outcome).toBe('skipped');
    expect(lines).toEqual([
      'Dependencies: not checked, because the registry did not answer the audit.',
    ]);
  });
});

test.each(['', 'npm: not found', 'null', '{"message":"405","error":{}}'])(
  'what is not a report is not a pass: %j',
  (printed) => {
    expect(judgeAudit(printed).outcome).toBe('skipped');
  },
);
