/** Renders the Helm chart with the real Helm, and checks what comes out against Kubernetes' schemas. */
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect } from 'vitest';
import { parseAllDocuments, stringify } from 'yaml';
import { type Helm, provideHelm } from '../../test/provide/helm.ts';
import { temporaryFolder } from '../../test/support.ts';
import { repository } from './shell-in-markdown.ts';

export const CHART = join(repository, 'deploy', 'helm', 'bellhop');
/** The id of Kubernetes' definitions. */
const DEFINITIONS = 'https://kubernetes.io/api/_definitions.json';
const run = promisify(execFile);

export interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: { name: string; labels: Record<string, string> };
  // biome-ignore lint/suspicious/noExplicitAny: each kind has its own.
  [part: string]: any;
}

export class HelmChart {
  readonly #helm: Helm;
  readonly #validators = new Map<string, Ajv2020>();

  private constructor(helm: Helm) {
    this.#helm = helm;
  }

  /** Null if Helm is not available here. */
  static async open(): Promise<HelmChart | null> {
    const helm = await provideHelm();
    return helm && new HelmChart(helm);
  }

  async lint(values: object): Promise<string> {
    const args = ['lint', '--strict', CHART, '--values', await fileOf(values)];
    return (await run(this.#helm.program, args)).stdout;
  }

  async render(values: object, release = 'bellhop'): Promise<Manifest[]> {
    const args = ['template', release, CHART, '--namespace', 'partners'];
    args.push('--values', await fileOf(values));
    const { stdout } = await run(this.#helm.program, args, { maxBuffer: 16 * 1_048_576 });
    return parseAllDocuments(stdout)
      .map((document) => document.toJS() as Manifest | null)
      .filter((manifest) => manifest !== null);
  }

  /** What is wrong with a manifest for that version of Kubernetes; empty if nothing is. */
  problemsOf(manifest: Manifest, version: string): string[] {
    const group = manifest.apiVersion.includes('/')
      ? manifest.apiVersion
      : `core/${manifest.apiVersion}`;
    const type = `io.k8s.api.${group.replace('.k8s.io', '').replace('/', '.')}.${manifest.kind}`;
    const validate = this.#validatorOf(version).getSchema(`${DEFINITIONS}#/$defs/${type}`);
    if (!validate) return [`${version} has no ${type}`];
    validate(manifest);
    return (validate.errors ?? []).map(
      ({ instancePath, message, params }) =>
        `${manifest.kind} ${manifest.metadata.name}${instancePath} ${message} ${JSON.stringify(params)}`,
    );
  }

  #validatorOf(version: string): Ajv2020 {
    let validator = this.#validators.get(version);
    if (!validator) {
      validator = new Ajv2020({ strict: false, validateFormats: false, allErrors: true });
      validator.addSchema(this.#helm.schemaOf(version));
      this.#validators.set(version, validator);
    }
    return validator;
  }
}

export function ofKind(manifests: Manifest[], kind: string): Manifest[] {
  return manifests.filter((manifest) => manifest.kind === kind);
}

export function matches(labels: Record<string, string>, wanted: object): boolean {
  return Object.entries(wanted).every(([name, value]) => labels[name] === value);
}

/** The environment of a container, as Kubernetes would assemble it. Secrets that are files are in `secretsFolder`. */
export function environmentOf(
  manifests: Manifest[],
  deployment: string,
  secretsFolder?: string,
): Record<string, string> {
  const { spec } = manifests.find(
    ({ kind, metadata }) => kind === 'Deployment' && metadata.name === deployment,
  ) as Manifest;
  const [container] = spec.template.spec.containers;
  const [settingsMap] = ofKind(manifests, 'ConfigMap');
  const [secret] = ofKind(manifests, 'Secret');
  const all = { secretRef: { name: secret?.metadata.name } };
  expect(container.envFrom).toEqual([
    { configMapRef: { name: settingsMap?.metadata.name } },
    ...(secretsFolder ? [] : [all]),
  ]);
  const named = container.env.map(
    ({ name, value, valueFrom }: { name: string; value?: string; valueFrom: Manifest }) => [
      name,
      value ?? secret?.stringData[valueFrom.secretKeyRef.key],
    ],
  );
  const environment = { ...settingsMap?.data, ...Object.fromEntries(named) };
  if (!secretsFolder) return { ...environment, ...secret?.stringData };
  const { volumes } = spec.template.spec;
  const { projected } = volumes.find(({ name }: { name: string }) => name === 'secrets');
  const mounted = projected.sources[0].secret;
  expect(mounted.name).toBe(secret?.metadata.name);
  const { mountPath } = container.volumeMounts.find(
    ({ name }: { name: string }) => name === 'secrets',
  );
  for (const { key, path } of mounted.items) {
    writeFileSync(join(secretsFolder, path), secret?.stringData[key]);
  }
  for (const [name, value] of Object.entries<string>(environment)) {
    environment[name] = value.replace(mountPath, secretsFolder);
  }
  return environment;
}

/** The paths that Kubernetes asks whether a pod has started, is alive and is ready. */
export function probedPaths(manifests: Manifest[]): string[] {
  const [container] = ofKind(manifests, 'Deployment')[0]?.spec.template.spec.containers ?? [];
  return ['startupProbe', 'livenessProbe', 'readinessProbe'].map(
    (probe) => container[probe].httpGet.path,
  );
}

async function fileOf(values: object): Promise<string> {
  const file = join(await temporaryFolder(), 'values.yaml');
  await writeFile(file, stringify(values));
  return file;
}
