/** The Helm chart of the tests, with the values that several of them render. */
import { describe } from 'vitest';
import { parse } from 'yaml';
import { ADMIN_TOKEN } from '../testing/bellhop.ts';
import { issueCertificate } from '../testing/certificates.ts';
import { readText } from '../testing/deploy-files.ts';
import { HelmChart } from '../testing/helm-chart.ts';
import { newMasterKey } from '../testing/settings.ts';

/** The oldest version that the chart allows, and the newest that we have schemas of. */
export const KUBERNETES = ['v1.27.0', 'v1.37.0'];
export const PAGE = readText('docs/operating/kubernetes.md');
export const SECRETS = {
  BELLHOP_MASTER_KEY: newMasterKey(),
  BELLHOP_ADMIN_TOKEN: ADMIN_TOKEN,
  BELLHOP_PRODUCTION_DATABASE_URL: 'postgres://one/production',
  BELLHOP_SANDBOX_DATABASE_URL: 'postgres://one/sandbox',
  BELLHOP_PRODUCTION_REDIS_URL: 'redis://one',
  BELLHOP_SANDBOX_REDIS_URL: 'redis://two',
};
export const OWN_SECRET = { secrets: { existingSecret: 'my-secret' } };
export const FULL = {
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
export const SMALL = {
  ...OWN_SECRET,
  environments: ['sandbox'],
  sharedLimits: false,
  updateStrategy: 'Recreate',
  podDisruptionBudget: { enabled: false },
  // As on the page.
  workloads: parse(/^```\n(workloads:.*?)^```$/ms.exec(PAGE)?.[1] as string).workloads,
};

const chart = await HelmChart.open();

/** The tests are skipped where Helm cannot be had. */
export function describeChart(about: string, tests: (chart: HelmChart) => void): void {
  describe.skipIf(chart === null)(about, () => tests(chart as HelmChart));
}

/** The metrics that values.yaml proposes for autoscaling, in its comments. */
export function documentedMetrics(): { name: string; average: number }[] {
  return [
    ...readText('deploy/helm/bellhop/values.yaml').matchAll(/^ +# +- (\{ name: .+\})$/gm),
  ].map(([, text = '']) => parse(text));
}
