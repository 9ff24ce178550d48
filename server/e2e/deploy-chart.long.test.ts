/**
 * The Helm chart: rendered by the real Helm, checked against Kubernetes' schemas, and its pods' settings started as
 * processes on a real PostgreSQL and Redis. No Kubernetes runs here.
 */
import { describe, expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { describeWithPostgres, describeWithRedis, temporaryFolder } from '../../test/support.ts';
import { allSettings, readConfig } from '../src/base/config/config.ts';
import { redisUrl } from '../src/base/config/redis-address.ts';
import { LARGEST_IMPORT_BYTES, MOST_LINES } from '../src/resources/import/read-lines.ts';
import { ADMIN_TOKEN, startBellhop } from '../testing/bellhop.ts';
import { issueCertificate } from '../testing/certificates.ts';
import { readText } from '../testing/deploy-files.ts';
import {
  environmentOf,
  HelmChart,
  type Manifest,
  matches,
  ofKind,
  probedPaths,
} from '../testing/helm-chart.ts';
import { LOOPBACK_RECEIVERS, newMasterKey } from '../testing/settings.ts';
import { startReceiver } from '../testing/webhook-receiver.ts';
import { newEvent, newSender } from './webhook-bellhop.ts';

// These tests start whole processes, which is slow on a busy machine.
/** The oldest version that the chart allows, and the newest that we have schemas of. */
const KUBERNETES = ['v1.27.0', 'v1.37.0'];
const LONGEST_STOP_SECONDS = 15;
type Addresses = Record<string, string>;
/** Measured with lines that each raise a limit of another key: a set of grants is staged for every line. */
const STAGED_BYTES_PER_LINE = 8_520;
const PAGE = readText('docs/operating/kubernetes.md');
const EXAMPLE = 'deploy/helm/examples/cloudnative-pg-and-sentinel';
const SECRETS = {
  BELLHOP_MASTER_KEY: newMasterKey(),
  BELLHOP_ADMIN_TOKEN: ADMIN_TOKEN,
  BELLHOP_PRODUCTION_DATABASE_URL: 'postgres://one/production',
  BELLHOP_SANDBOX_DATABASE_URL: 'postgres://one/sandbox',
  BELLHOP_PRODUCTION_REDIS_URL: 'redis://one',
  BELLHOP_SANDBOX_REDIS_URL: 'redis://two',
};
const OWN_SECRET = { secrets: { existingSecret: 'my-secret' } };
const FULL = {
  secrets: { values: SECRETS, asFiles: true },
  settings: { BELLHOP_TRUSTED_PROXIES: '10.0.0.0/8', BELLHOP_LOG_LEVEL: 'warn' },
  image: { repository: 'registry.example/bellhop', tag: '1.2.3', pullSecrets: [{ name: 'pull' }] },
  workloads: {
    'partner-api': { autoscaling: { enabled: true, metrics: [documentedMetrics()[0]] } },
    delivery: { autoscaling: { enabled: true, metrics: [documentedMetrics()[1]] } },
  },
  ingress: {
    enabled: true,
    className: 'nginx',
    annotations: { 'example.com/size': '1m' },
    hosts: {
      production: { host: 'api.example.com', tlsSecret: 'api-tls' },
      sandbox: { host: 'sandbox.example.com' },
      backOffice: { host: 'bellhop.internal' },
    },
  },
  serviceMonitor: { enabled: true, labels: { release: 'prometheus' } },
  networkPolicy: {
    enabled: true,
    partnersFrom: [{ namespaceSelector: { matchLabels: { name: 'ingress' } } }],
    backOfficeFrom: [{ ipBlock: { cidr: '10.1.0.0/16' } }],
    to: [{ to: [{ ipBlock: { cidr: '10.20.0.0/16' } }], ports: [{ port: 5432 }] }],
  },
  service: { type: 'LoadBalancer', annotations: { 'example.com/internal': 'false' } },
  caBundle: issueCertificate({ name: 'CA', isAuthority: true }).cert,
  extraVolumes: [{ name: 'more', emptyDir: {} }],
  extraVolumeMounts: [{ name: 'more', mountPath: '/more' }],
  extraEnv: [{ name: 'NODE_OPTIONS', value: '--max-old-space-size=700' }],
  podAnnotations: { 'example.com/a': 'b' },
  podLabels: { team: 'partners' },
  nodeSelector: { disk: 'fast' },
  tolerations: [{ key: 'dedicated', operator: 'Exists' }],
  affinity: { nodeAffinity: {} },
  priorityClassName: 'high',
};
const SMALL = {
  ...OWN_SECRET,
  environments: ['sandbox'],
  sharedLimits: false,
  updateStrategy: 'Recreate',
  podDisruptionBudget: { enabled: false },
  // As on the page.
  workloads: parse(/^```\n(workloads:.*?)^```$/ms.exec(PAGE)?.[1] as string).workloads,
};

const chart = await HelmChart.open();

describe.skipIf(chart === null)('the chart', () => {
  const render = (values: object, release?: string) => (chart as HelmChart).render(values, release);

  test.each([
    ['with a Secret of your own', OWN_SECRET],
    ['with everything switched on', FULL],
    ['small', SMALL],
  ])('%s passes Helm and the schemas of Kubernetes', async (_name, values) => {
    expect(await (chart as HelmChart).lint(values)).toContain('0 chart(s) failed');
    const manifests = await render(values);
    const builtIn = manifests.filter(({ apiVersion }) => !apiVersion.startsWith('monitoring.'));
    expect(builtIn.length).toBeGreaterThan(5);
    for (const version of KUBERNETES) {
      const problems = builtIn.flatMap((one) => chart?.problemsOf(one, version));
      expect(problems, version).toEqual([]);
    }
    // The check itself finds a field that does not exist.
    const odd = structuredClone(builtIn.find(({ kind }) => kind === 'Deployment') as Manifest);
    odd.spec.template.spec.containers[0].livenessProb = {};
    expect(chart?.problemsOf(odd, 'v1.37.0')).toEqual([expect.stringContaining('livenessProb')]);
  });

  test('connects Services, budgets, autoscalers and monitors with the pods that they are meant for', async () => {
    const manifests = await render(FULL);
    const pods = ofKind(manifests, 'Deployment').map(({ metadata, spec }) => ({
      name: metadata.name,
      labels: spec.template.metadata.labels,
      ports: spec.template.spec.containers[0].ports.map(({ name }: { name: string }) => name),
    }));
    const selected = (labels: object) => pods.filter((pod) => matches(pod.labels, labels));
    const namesOf = (found: typeof pods) => found.map(({ name }) => name);
    for (const { spec } of ofKind(manifests, 'Deployment')) {
      expect(matches(spec.template.metadata.labels, spec.selector.matchLabels)).toBe(true);
    }
    const services = new Map(ofKind(manifests, 'Service').map((one) => [one.metadata.name, one]));
    for (const { spec } of services.values()) {
      for (const pod of selected(spec.selector))
        expect(pod.ports).toContain(spec.ports[0].targetPort);
    }
    const reached = (name: string) => namesOf(selected(services.get(name)?.spec.selector));
    expect(reached('bellhop-production')).toEqual(['bellhop-partner-api']);
    expect(reached('bellhop-sandbox')).toEqual(['bellhop-partner-api']);
    expect(reached('bellhop-portal')).toEqual(['bellhop-delivery']);
    expect(reached('bellhop-back-office')).toEqual(['bellhop-delivery']);
    expect(reached('bellhop-metrics')).toEqual(namesOf(pods));
    const budgets = ofKind(manifests, 'PodDisruptionBudget');
    expect(budgets.flatMap(({ spec }) => namesOf(selected(spec.selector.matchLabels)))).toEqual(
      namesOf(pods),
    );
    for (const { spec } of ofKind(manifests, 'HorizontalPodAutoscaler')) {
      expect(namesOf(pods)).toContain(spec.scaleTargetRef.name);
    }
    const [monitor] = ofKind(manifests, 'ServiceMonitor');
    const watched = [...services.values()].filter(({ metadata }) =>
      matches(metadata.labels, monitor?.spec.selector.matchLabels),
    );
    expect(watched.map(({ metadata }) => metadata.name)).toEqual(['bellhop-metrics']);
    expect(watched[0]?.spec.ports[0].name).toBe(monitor?.spec.endpoints[0].port);
    for (const { spec } of ofKind(manifests, 'Ingress')) {
      const { name, port } = spec.rules[0].http.paths[0].backend.service;
      expect(services.get(name)?.spec.ports[0].name).toBe(port.name);
    }
    const deployments = ofKind(manifests, 'Deployment');
    expect(deployments.every(({ spec }) => spec.replicas === undefined)).toBe(true);
  });

  test('gives pods no more rights than they need, and time to drain', async () => {
    for (const { spec } of ofKind(await render(OWN_SECRET), 'Deployment')) {
      const pod = spec.template.spec;
      const [container] = pod.containers;
      expect(pod.securityContext).toMatchObject({
        runAsNonRoot: true,
        seccompProfile: { type: 'RuntimeDefault' },
      });
      expect(readText('deploy/Dockerfile')).toContain(`USER ${pod.securityContext.runAsUser}:`);
      expect(container.securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
      expect(pod.automountServiceAccountToken).toBe(false);
      // A Service "bellhop-production" would otherwise set BELLHOP_PRODUCTION_PORT to an address.
      expect(pod.enableServiceLinks).toBe(false);
      const { drainDelayMs } = readConfig({
        BELLHOP_DRAIN_DELAY: container.env.find(
          ({ name }: { name: string }) => name === 'BELLHOP_DRAIN_DELAY',
        ).value,
      });
      expect(drainDelayMs).toBe(5_000);
      expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(
        drainDelayMs / 1_000 + LONGEST_STOP_SECONDS,
      );
      const dataDir = /BELLHOP_DATA_DIR=(\S+)/.exec(readText('deploy/Dockerfile'))?.[1];
      expect(
        container.volumeMounts.map(({ mountPath }: { mountPath: string }) => mountPath),
      ).toEqual(['/tmp', dataDir]);
    }
  });

  test('takes pods out of service for trouble of production, not of the sandbox', async () => {
    const asked = async (values: object) =>
      ofKind(await render({ ...OWN_SECRET, ...values }), 'Deployment').map(
        ({ spec }) => spec.template.spec.containers[0].readinessProbe.httpGet.path,
      );
    const all = await asked({});
    expect(new Set(all)).toEqual(new Set(['/health/ready/production']));
    const alone = await asked({ environments: ['sandbox'] });
    expect(new Set(alone)).toEqual(new Set(['/health/ready/sandbox']));
  });

  test('serves the back office only from the pods that its Service leads to', async () => {
    const manifests = await render({ secrets: { values: SECRETS } });
    const roles = (name: string) => environmentOf(manifests, name).BELLHOP_ROLES;
    expect(roles('bellhop-partner-api')).toBe('partner-api,monitoring');
    expect(roles('bellhop-delivery')).toBe('delivery,portal,back-office');
  });

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

  test('has a network policy for all pods, unless it is switched off', async () => {
    const policyWith = async (networkPolicy: object, settings: object = {}) => {
      const manifests = await render({ ...OWN_SECRET, settings, networkPolicy });
      const [policy] = ofKind(manifests, 'NetworkPolicy');
      for (const { spec } of ofKind(manifests, 'Deployment')) {
        const selector = policy?.spec.podSelector.matchLabels ?? {};
        expect(matches(spec.template.metadata.labels, selector)).toBe(true);
      }
      return policy?.spec;
    };
    const byDefault = await policyWith({});
    expect(byDefault.policyTypes).toEqual(['Ingress', 'Egress']);
    expect(byDefault.ingress).toEqual([
      { ports: [{ port: 'production' }, { port: 'sandbox' }, { port: 'portal' }] },
      { from: [{ podSelector: {} }], ports: [{ port: 'back-office' }] },
    ]);
    expect(byDefault.egress.at(-1)).toEqual({
      ports: [{ port: 5432 }, { port: 6379 }, { port: 26379 }],
    });
    const to = [{ to: [{ ipBlock: { cidr: '10.20.0.0/16' } }] }];
    expect((await policyWith({ to })).egress.slice(2)).toEqual(to);
    expect(await policyWith({ enabled: false })).toBeUndefined();

    for (const host of ['booking-core', 'booking-core.orders.svc', '10.1.2.3:8080', '[fd00::1]']) {
      const settings = { BELLHOP_SANDBOX_UPSTREAM_URL: `http://${host}/api` };
      await expect(policyWith({}, settings)).rejects.toThrow(
        'settings.BELLHOP_SANDBOX_UPSTREAM_URL is a private address',
      );
      await policyWith({ to }, settings);
    }
    await policyWith({}, { BELLHOP_SANDBOX_UPSTREAM_URL: 'https://booking.example.com' });
  });

  test('has room in /tmp for the largest import, or for as much as you set', async () => {
    const limits = async (values: object) =>
      ofKind(await render(values), 'Deployment').map(({ spec }) => {
        const { volumes, containers } = spec.template.spec;
        const [{ name }] = containers[0].volumeMounts.filter(
          ({ mountPath }: { mountPath: string }) => mountPath === '/tmp',
        );
        const { emptyDir } = volumes.find((volume: { name: string }) => volume.name === name);
        // Otherwise it would be memory.
        expect(emptyDir.medium).toBeUndefined();
        return emptyDir.sizeLimit;
      });
    const byDefault = await limits(OWN_SECRET);
    expect(byDefault).toHaveLength(2);
    for (const limit of byDefault) {
      expect(bytesOf(limit)).toBeGreaterThanOrEqual(4 * LARGEST_IMPORT_BYTES);
      expect(bytesOf(limit)).toBeGreaterThanOrEqual(MOST_LINES * STAGED_BYTES_PER_LINE);
    }
    expect(await limits({ ...OWN_SECRET, tmpSizeLimit: '25Gi' })).toEqual(['25Gi', '25Gi']);
    await expect(limits({ ...OWN_SECRET, tmpSizeLimit: '2 GB' })).rejects.toThrow('tmpSizeLimit');
  });

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

  test('fits the example with an operator for PostgreSQL and a Redis with Sentinel', async () => {
    const example = (file: string) => readText(`${EXAMPLE}/${file}`);
    const values = parse(example('values.yaml'));
    const manifests = await render(values);
    for (const version of KUBERNETES) {
      expect(manifests.flatMap((one) => chart?.problemsOf(one, version))).toEqual([]);
    }
    const clusters = parseAllDocuments(example('postgres.yaml')).map((one) => one.toJS());
    const names = clusters.map(({ metadata }) => metadata.name);
    const used = Object.values<{ name: string }>(values.secrets.from).map(({ name }) => name);
    expect(used).toEqual(names.map((name) => `${name}-app`));
    const authorities = values.extraVolumes[0].projected.sources;
    expect(authorities.map(({ secret }: Manifest) => secret.name)).toEqual(
      names.map((name) => `${name}-ca`),
    );
    const [database, redis] = ofKind(manifests, 'NetworkPolicy')[0]?.spec.egress.slice(-2) ?? [];
    expect(database.to.map(({ podSelector }: Manifest) => podSelector.matchLabels)).toEqual(
      names.map((name) => ({ 'cnpg.io/cluster': name })),
    );
    expect(redis.ports).toEqual([{ port: 6379 }, { port: 26379 }]);
    // The page has the addresses of Redis, with the name that the Sentinels have for the primary.
    const { redis: servers, replicas } = parse(example('redis.yaml'));
    for (const environment of ['production', 'sandbox']) {
      const [, address = ''] =
        new RegExp(
          `BELLHOP_${environment.toUpperCase()}_REDIS_URL='?(redis\\+[^' ]+redis-ha[^' ]+)`,
        ).exec(PAGE) ?? [];
      const read = redisUrl(address.replace('…', 'secret'));
      expect(JSON.stringify(read)).toContain(servers.masterGroupName);
      const announced = address.match(
        new RegExp(`redis-${environment}-redis-ha-announce-\\d`, 'g'),
      );
      expect(new Set(announced).size).toBe(replicas);
    }
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

  test('takes the image from a registry of your own, by tag or by digest', async () => {
    const imageOf = async (image: object) => {
      const [one] = ofKind(await render({ ...OWN_SECRET, image }), 'Deployment');
      const { containers, imagePullSecrets } = one?.spec.template.spec ?? {};
      return { image: containers[0].image, imagePullSecrets };
    };
    const { version } = JSON.parse(readText('server/package.json'));
    const registry = 'registry.example.com:5000/partners';
    const pullSecrets = [{ name: 'registry' }];
    expect(await imageOf({})).toEqual({ image: `bellhop:${version}` });
    expect(await imageOf({ registry, tag: '1.2.3', pullSecrets })).toEqual({
      image: `${registry}/bellhop:1.2.3`,
      imagePullSecrets: pullSecrets,
    });
    const digest = `sha256:${'0a'.repeat(32)}`;
    expect((await imageOf({ registry, digest })).image).toBe(`${registry}/bellhop@${digest}`);
    await expect(imageOf({ registry: `${registry}/` })).rejects.toThrow('registry');
  });

  test('spreads the pods of a group as strictly as you set', async () => {
    const spreadOf = async (topologySpread: object) => {
      const [one] = ofKind(await render({ ...OWN_SECRET, topologySpread }), 'Deployment');
      const { labels } = one?.spec.template.metadata ?? {};
      return one?.spec.template.spec.topologySpreadConstraints?.map(
        (each: { topologyKey: string; whenUnsatisfiable: string; labelSelector: Manifest }) => {
          expect(matches(labels, each.labelSelector.matchLabels)).toBe(true);
          return [each.topologyKey, each.whenUnsatisfiable];
        },
      );
    };
    const [host, zone] = ['kubernetes.io/hostname', 'topology.kubernetes.io/zone'];
    expect(await spreadOf({})).toEqual([
      [host, 'ScheduleAnyway'],
      [zone, 'ScheduleAnyway'],
    ]);
    const strict = { hosts: 'DoNotSchedule', zones: 'Anywhere' };
    expect(await spreadOf(strict)).toEqual([[host, 'DoNotSchedule']]);
    await expect(spreadOf({ hosts: 'Sometimes' })).rejects.toThrow('hosts');
  });

  test('names its objects after the release', async () => {
    const names = (await render(OWN_SECRET, 'night')).map(({ metadata }) => metadata.name);
    for (const name of names) expect(name).toMatch(/^night-bellhop/);
  });

  describeWithRedis('started with the settings of its pods', (redisUrl) => {
    describeWithPostgres('on PostgreSQL', (newDatabase) => {
      test('serves partners from one group, and delivers and reports metrics from the other', async () => {
        const values = {
          ...SECRETS,
          BELLHOP_PRODUCTION_DATABASE_URL: await newDatabase(),
          BELLHOP_SANDBOX_DATABASE_URL: await newDatabase(),
          BELLHOP_PRODUCTION_REDIS_URL: `${redisUrl}/1`,
          BELLHOP_SANDBOX_REDIS_URL: `${redisUrl}/2`,
        };
        const manifests = await render({
          secrets: { values },
          settings: LOOPBACK_RECEIVERS,
        });
        // Both at once, as in a first installation: one migrates, the other waits.
        const [delivery, partners] = await Promise.all(
          ['bellhop-delivery', 'bellhop-partner-api'].map((name) =>
            startBellhop({ ...environmentOf(manifests, name), BELLHOP_HOST: '127.0.0.1' }),
          ),
        );
        if (!delivery || !partners) throw new Error('The chart has no such groups.');
        expect(Object.keys(delivery.addresses)).toEqual(['backOffice', 'portal']);
        const { production, sandbox, monitoring } = partners.addresses as unknown as Addresses;
        expect(partners.addresses).toEqual({ production, sandbox, monitoring });
        for (const address of [delivery.addresses.backOffice, monitoring]) {
          for (const path of probedPaths(manifests)) {
            expect((await fetch(address + path)).status, path).toBe(200);
          }
        }
        expect((await fetch(`${monitoring}/`)).status).toBe(404);
        const receiver = await startReceiver();
        const sender = await newSender(delivery, receiver.url);
        await delivery.support('POST', '/orders/v1/production/events', newEvent(sender));
        await receiver.came(1);
        const key = await delivery.newKey('production');
        const reply = await fetch(`${partners.addresses.production}/api/b2b/v3/overview/`, {
          headers: { authorization: key.authorization },
        });
        expect(reply.status).toBe(200);
        await reply.arrayBuffer();

        const metrics = await Promise.all(
          [monitoring, delivery.addresses.backOffice].map(async (address) =>
            (await fetch(`${address}/metrics`)).text(),
          ),
        );
        for (const { name } of documentedMetrics()) {
          const counter = counterBehind(name);
          expect(metrics.join('\n'), name).toMatch(new RegExp(`^${counter}\\{`, 'm'));
        }
      });
    });
  });
});

test('the version of the chart is that of the server', () => {
  const { version } = JSON.parse(readText('server/package.json'));
  const { appVersion } = parse(readText('deploy/helm/bellhop/Chart.yaml'));
  expect(appVersion).toBe(version);
});

/** Of a quantity of Kubernetes, such as 256Mi. */
function bytesOf(quantity: string): number {
  const [, count, unit = ''] = /^(\d+)(Mi|Gi)$/.exec(quantity) ?? [];
  return Number(count) * (unit === 'Gi' ? 1_024 ** 3 : 1_024 ** 2);
}
/** The metrics that values.yaml proposes for autoscaling, in its comments. */
function documentedMetrics(): { name: string; average: number }[] {
  return [
    ...readText('deploy/helm/bellhop/values.yaml').matchAll(/^ +# +- (\{ name: .+\})$/gm),
  ].map(([, text = '']) => parse(text));
}

/** Undoes what the Prometheus adapter does to a name; fails if its rules do not make it. */
function counterBehind(metric: string): string {
  const [rule] = parse(readText('deploy/helm/prometheus-adapter.yaml')).rules.custom;
  const counter = metric.replace(/_per_second$/, '_total');
  const series = new RegExp(/__name__=~"([^"]+)"/.exec(rule.seriesQuery)?.[1] as string);
  expect(counter).toMatch(series);
  const made = counter.replace(
    new RegExp(rule.name.matches),
    rule.name.as.replace(/\$\{(\d)\}/, '$$$1'),
  );
  expect(made).toBe(metric);
  return counter;
}
