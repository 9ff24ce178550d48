/** What the Helm chart makes: rendered by the real Helm, checked against Kubernetes' schemas. No Kubernetes runs here. */
import { expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { readConfig } from '../src/base/config/config.ts';
import { redisUrl } from '../src/base/config/redis-address.ts';
import { LARGEST_IMPORT_BYTES, MOST_LINES } from '../src/resources/import/read-lines.ts';
import { readText } from '../testing/deploy-files.ts';
import { environmentOf, type Manifest, matches, ofKind } from '../testing/helm-chart.ts';
import {
  describeChart,
  FULL,
  KUBERNETES,
  OWN_SECRET,
  PAGE,
  SECRETS,
  SMALL,
} from './chart-values.ts';

const LONGEST_STOP_SECONDS = 15;
/** Measured with lines that each raise a limit of another key: a set of grants is staged for every line. */
const STAGED_BYTES_PER_LINE = 8_520;
const EXAMPLE = 'deploy/helm/examples/cloudnative-pg-and-sentinel';

describeChart('the chart', (chart) => {
  const render = (values: object, release?: string) => chart.render(values, release);

  test.each([
    ['with a Secret of your own', OWN_SECRET],
    ['with everything switched on', FULL],
    ['small', SMALL],
  ])('%s passes Helm and the schemas of Kubernetes', async (_name, values) => {
    expect(await chart.lint(values)).toContain('0 chart(s) failed');
    const manifests = await render(values);
    const builtIn = manifests.filter(({ apiVersion }) => !apiVersion.startsWith('monitoring.'));
    expect(builtIn.length).toBeGreaterThan(5);
    for (const version of KUBERNETES) {
      const problems = builtIn.flatMap((one) => chart.problemsOf(one, version));
      expect(problems, version).toEqual([]);
    }
    // The check itself finds a field that does not exist.
    const odd = structuredClone(builtIn.find(({ kind }) => kind === 'Deployment') as Manifest);
    odd.spec.template.spec.containers[0].livenessProb = {};
    expect(chart.problemsOf(odd, 'v1.37.0')).toEqual([expect.stringContaining('livenessProb')]);
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

  test('fits the example with an operator for PostgreSQL and a Redis with Sentinel', async () => {
    const example = (file: string) => readText(`${EXAMPLE}/${file}`);
    const values = parse(example('values.yaml'));
    const manifests = await render(values);
    for (const version of KUBERNETES) {
      expect(manifests.flatMap((one) => chart.problemsOf(one, version))).toEqual([]);
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
});

/** Of a quantity of Kubernetes, such as 256Mi. */
function bytesOf(quantity: string): number {
  const [, count, unit = ''] = /^(\d+)(Mi|Gi)$/.exec(quantity) ?? [];
  return Number(count) * (unit === 'Gi' ? 1_024 ** 3 : 1_024 ** 2);
}
