/** Which values and settings the Helm chart takes, and which it refuses with a sentence. */
import { expect, test } from 'vitest';
import { allSettings, readConfig } from '../src/base/config/config.ts';
import { ofKind } from '../testing/helm-chart.ts';
import { describeChart, FULL, OWN_SECRET, SECRETS, SMALL } from './chart-values.ts';

describeChart('the chart', (chart) => {
  const render = (values: object) => chart.render(values);

  test('refuses values that would not work, with a sentence', async () => {
    await expect(render({})).rejects.toThrow('Set secrets.values.BELLHOP_MASTER_KEY, or name');
    const both = { secrets: { existingSecret: 'x', values: SECRETS } };
    await expect(render(both)).rejects.toThrow('but not both');
    const bounds = {
      workloads: { delivery: { autoscaling: { enabled: true, maxReplicas: null } } },
    };
    await expect(render({ ...OWN_SECRET, ...bounds })).rejects.toThrow('maxReplicas is required');
    const elsewhere = {
      ...SMALL,
      ingress: { enabled: true, hosts: { production: { host: 'a' } } },
    };
    await expect(render(elsewhere)).rejects.toThrow('neither an environment that is served');
  });

  test('refuses values that leave a Service or an Ingress without pods or hosts', async () => {
    const refused = (values: object) => expect(render({ ...OWN_SECRET, ...values })).rejects;
    const workloads = (delivery: object, partnerApi: object = {}) => ({
      workloads: { delivery, 'partner-api': partnerApi },
    });
    await refused(workloads({}, { replicas: 0 })).toThrow('no pod has the role partner-api');
    await refused(workloads({ backOffice: false })).toThrow('no pod serves the back office');
    const portal = { roles: ['portal'], replicas: 0, backOffice: false };
    const alone = { ...workloads({ roles: ['delivery'] }).workloads };
    const { resources, autoscaling } = { resources: {}, autoscaling: { enabled: false } };
    await refused({
      workloads: { ...alone, portal: { ...portal, resources, autoscaling } },
    }).toThrow('role portal has no replicas');
    await refused({ ingress: { enabled: true } }).toThrow('needs ingress.hosts');
    const ingress = { enabled: true, hosts: { portal: { host: 'a' } } };
    await refused({ ...workloads({ roles: ['delivery'] }), ingress }).toThrow(
      'no workload has the role portal',
    );
    // Without the role there is no portal, and no Service for it.
    const without = await render({ ...OWN_SECRET, ...workloads({ roles: ['delivery'] }) });
    const services = ofKind(without, 'Service').map(({ metadata }) => metadata.name);
    expect(services).not.toContain('bellhop-portal');
  });

  test.each([
    ['BELLHOP_LOG_LEVEL', 'loud'],
    ['BELLHOP_PRODUCTION_RECEIVER_TIMEOUT', '10 seconds'],
    ['BELLHOP_SANDBOX_DATABASE_CONNECTIONS', 100],
    ['BELLHOP_PRODUCTION_ERROR_FORM', 'text'],
  ])('refuses %s=%s, as the server would', async (name, value) => {
    expect(() => readConfig({ [name]: String(value) })).toThrow(name);
    await expect(render({ ...OWN_SECRET, settings: { [name]: value } })).rejects.toThrow(
      `Bellhop would refuse ${name}=${value}`,
    );
  });

  test('takes every setting that is neither secret nor its own', async () => {
    const own = ['HOST', 'ENVIRONMENTS', 'ROLES', 'DATA_DIR', 'DRAIN_DELAY', 'DEMO'];
    const isOwn = (variable: string) =>
      own.includes(variable.replace('BELLHOP_', '')) || variable.endsWith('_PORT');
    const all = allSettings().filter(({ setting }) => !setting.secret);
    const open = all.filter(({ variable }) => !isOwn(variable));
    expect(open.length).toBeGreaterThan(20);
    const settings = {
      // Every default is a value that the server takes.
      ...Object.fromEntries(
        open.map(({ variable, setting }) => [variable, setting.default || 'x']),
      ),
      BELLHOP_MASTER_KEY_FILE: '/run/key',
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318',
    };
    const [map] = ofKind(
      await render({ ...OWN_SECRET, settings, networkPolicy: { enabled: false } }),
      'ConfigMap',
    );
    expect(map?.data).toEqual({ BELLHOP_ENVIRONMENTS: 'production,sandbox', ...settings });
  });

  test.each<[string, object, string]>([
    [
      'a misspelt setting',
      { settings: { BELLHOP_TRUSTED_PROXY: '10.0.0.0/8' } },
      'settings: BELLHOP_TRUSTED_PROXY is not a setting of Bellhop',
    ],
    [
      'a misspelt variable',
      { extraEnv: [{ name: 'BELLHOP_LOGLEVEL', value: 'warn' }] },
      'extraEnv: BELLHOP_LOGLEVEL is not a setting of Bellhop',
    ],
    [
      'a misspelt secret',
      { secrets: { values: { ...SECRETS, BELLHOP_OIDC_SECRET: 'x' } } },
      'secrets.values: BELLHOP_OIDC_SECRET is not a setting of Bellhop',
    ],
    [
      'a misspelt key of the Secret',
      { secrets: { existingSecret: 'mine', asFiles: true, more: ['BELLHOP_ALERTS_URL'] } },
      'secrets.more: BELLHOP_ALERTS_URL is not a setting of Bellhop',
    ],
    [
      'a secret in the open',
      { settings: { BELLHOP_MASTER_KEY: 'x' } },
      'settings: BELLHOP_MASTER_KEY is a secret',
    ],
    [
      'a secret in a variable',
      { extraEnv: [{ name: 'BELLHOP_ALERT_URL', value: 'https://x' }] },
      'extraEnv: BELLHOP_ALERT_URL is a secret',
    ],
    [
      'a setting that is not a secret as a file',
      { secrets: { existingSecret: 'mine', asFiles: true, more: ['BELLHOP_LOG_FORMAT'] } },
      'secrets: BELLHOP_LOG_FORMAT cannot be in a file',
    ],
    [
      'a setting of the chart',
      { extraEnv: [{ name: 'BELLHOP_ROLES', value: 'delivery' }] },
      'extraEnv: the chart sets BELLHOP_ROLES itself',
    ],
    ['credentials of a collector', { settings: { OTEL_EXPORTER_OTLP_HEADERS: 'a=b' } }, 'HEADERS'],
    [
      'a collector with a password',
      { settings: { OTEL_EXPORTER_OTLP_ENDPOINT: 'https://user:secret@collector' } },
      'OTEL_EXPORTER_OTLP_ENDPOINT',
    ],
    [
      'authorities named twice',
      { caBundle: FULL.caBundle, settings: { BELLHOP_CA_FILE: '/x' } },
      'caBundle sets BELLHOP_CA_FILE',
    ],
    ['another prefix', { settings: { OTHER: 'x' } }, 'OTHER'],
  ])('refuses %s', async (_name, values, sentence) => {
    await expect(render({ ...OWN_SECRET, ...values })).rejects.toThrow(sentence);
  });
});
