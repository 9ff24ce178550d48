/** How the Helm chart passes secrets, authorities and certificates. */
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { temporaryFolder } from '../../test/support.ts';
import { readConfig } from '../src/base/config/config.ts';
import { environmentOf, ofKind } from '../testing/helm-chart.ts';
import { describeChart, FULL, OWN_SECRET, PAGE, SECRETS } from './chart-values.ts';

describeChart('the chart', (chart) => {
  const render = (values: object) => chart.render(values);

  test('can pass secrets as files, the same ones as in the environment', async () => {
    const values = { ...SECRETS, BELLHOP_ALERT_URL: 'https://alerts.example', OTEL_HEADERS: 'a=b' };
    const asFiles = await render({ secrets: { values, asFiles: true } });
    const plain = await render({ secrets: { values } });
    for (const name of ['bellhop-delivery', 'bellhop-partner-api']) {
      const { OTEL_HEADERS, ...variables } = environmentOf(asFiles, name, await temporaryFolder());
      expect(OTEL_HEADERS).toBe('a=b');
      expect(readConfig(variables)).toEqual(
        readConfig({ ...environmentOf(plain, name), OTEL_HEADERS: '' }),
      );
      for (const secret of Object.keys(SECRETS)) expect(variables).not.toHaveProperty(secret);
    }
    const own = { existingSecret: 'mine', asFiles: true, more: ['BELLHOP_ALERT_URL'] };
    for (const { spec } of ofKind(await render({ secrets: own }), 'Deployment')) {
      const { items } = spec.template.spec.volumes.at(-1).projected.sources[0].secret;
      const keys = items.map(({ key }: { key: string }) => key);
      expect(keys.sort()).toEqual([...Object.keys(SECRETS), 'BELLHOP_ALERT_URL'].sort());
      expect(spec.template.spec.containers[0].envFrom).toHaveLength(1);
    }
  });

  test('trusts authorities, mounts certificates and calls pods with them over https', async () => {
    const documented = parse(/^```\n(extraVolumes:.*?)^```$/ms.exec(PAGE)?.[1] as string);
    const caBundle = FULL.caBundle;
    const manifests = await render({ ...OWN_SECRET, ...documented, caBundle });
    const [, bundle] = ofKind(manifests, 'ConfigMap');
    expect(bundle?.data).toEqual({ 'ca.pem': caBundle });
    for (const { spec } of ofKind(manifests, 'Deployment')) {
      const { volumes, containers } = spec.template.spec;
      const [{ env, volumeMounts, readinessProbe }] = containers;
      expect(env).toContainEqual({ name: 'BELLHOP_CA_FILE', value: '/etc/bellhop/ca/ca.pem' });
      expect(volumes).toContainEqual({ name: 'ca', configMap: { name: bundle?.metadata.name } });
      expect(volumeMounts).toContainEqual(documented.extraVolumeMounts[0]);
      expect(volumes).toContainEqual(documented.extraVolumes[0]);
      expect(readinessProbe.httpGet.scheme).toBe('HTTPS');
    }
    const protocols = ofKind(manifests, 'Service').map(({ metadata, spec }) => [
      metadata.name,
      spec.ports[0].appProtocol,
    ]);
    expect(Object.fromEntries(protocols)).toMatchObject({
      'bellhop-production': 'https',
      'bellhop-sandbox': 'http',
      'bellhop-back-office': 'https',
      'bellhop-portal': 'http',
    });
    const [plain] = ofKind(await render(OWN_SECRET), 'Deployment');
    const [container] = plain?.spec.template.spec.containers ?? [];
    expect(container.readinessProbe.httpGet.scheme).toBe('HTTP');
  });

  test('takes a secret from a Secret that another program made, in the environment or as a file', async () => {
    const uri = { name: 'cluster-app', key: 'uri' };
    const from = { BELLHOP_PRODUCTION_DATABASE_URL: uri, BELLHOP_ALERT_URL: { ...uri, key: 'u' } };
    const existing = { existingSecret: 'mine', from };
    for (const { spec } of ofKind(await render({ secrets: existing }), 'Deployment')) {
      const { env } = spec.template.spec.containers[0];
      const refOf = (wanted: string) =>
        env.find(({ name }: { name: string }) => name === wanted).valueFrom.secretKeyRef;
      expect(refOf('BELLHOP_PRODUCTION_DATABASE_URL')).toEqual(uri);
      expect(refOf('BELLHOP_ALERT_URL')).toEqual({ name: 'cluster-app', key: 'u' });
      const key = 'BELLHOP_SANDBOX_DATABASE_URL';
      expect(refOf(key)).toEqual({ name: 'mine', key });
    }
    const { BELLHOP_PRODUCTION_DATABASE_URL: _, ...values } = SECRETS;
    const asFiles = await render({ secrets: { values, from, asFiles: true } });
    for (const { spec } of ofKind(asFiles, 'Deployment')) {
      const [own, ...others] = spec.template.spec.volumes.at(-1).projected.sources;
      const keys = own.secret.items.map(({ key }: { key: string }) => key);
      expect(keys.sort()).toEqual(Object.keys(values).sort());
      const path = 'BELLHOP_PRODUCTION_DATABASE_URL';
      expect(others).toContainEqual({
        secret: { name: 'cluster-app', items: [{ key: 'uri', path }] },
      });
    }
    const wrong = { secrets: { existingSecret: 'mine', from: { BELLHOP_DATABASE_URL: uri } } };
    await expect(render(wrong)).rejects.toThrow(
      'secrets.from: BELLHOP_DATABASE_URL is not a setting',
    );
  });
});
