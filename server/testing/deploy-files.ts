/** The files of deploy/, read as far as tests compare them with the code. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
// Comes with @fastify/swagger.
import { parse } from 'yaml';
import { repository } from './shell-in-markdown.ts';

export interface AlertRule {
  alert: string;
  expr: string;
  annotations: { summary: string; runbook: string };
}

export interface Panel {
  id: number;
  type: string;
  title: string;
  description?: string;
  gridPos: { x: number; y: number; w: number; h: number };
  targets?: { expr: string }[];
}

export interface ComposeService {
  environment: Record<string, string>;
  ports: string[];
  stop_grace_period: string;
  /** As in `/folder:options`. */
  tmpfs: string[];
  /** As in `name:/folder`. */
  volumes: string[];
}

export function readText(file: string): string {
  return readFileSync(join(repository, file), 'utf8');
}

export function alertRules(): AlertRule[] {
  const { groups } = parse(readText('deploy/prometheus/alerts.yml'));
  return groups.flatMap(({ rules }: { rules: AlertRule[] }) => rules);
}

export function prometheusTargets(): string[] {
  const { scrape_configs } = parse(readText('deploy/prometheus/prometheus.yml'));
  return scrape_configs.flatMap((job: { static_configs: { targets: string[] }[] }) =>
    job.static_configs.flatMap(({ targets }) => targets),
  );
}

export function panels(): Panel[] {
  return JSON.parse(readText('deploy/grafana/bellhop.json')).panels;
}

export function composeServices(): Record<string, ComposeService> {
  return parse(readText('deploy/compose.yaml'), { merge: true }).services;
}

export interface Copied {
  /** The stage whose files these are; undefined: the repository's. */
  stage: string | undefined;
  from: string[];
  to: string;
}

/** Every `COPY` in a stage of the image: the last one, unless it is named. */
export function copiedIntoImage(name?: string): Copied[] {
  const stages = readText('deploy/Dockerfile').split(/^FROM /m);
  const stage = name ? stages.find((text) => / AS (.+)/.exec(text)?.[1] === name) : stages.at(-1);
  const copies = (stage ?? '').matchAll(/^COPY (?:--from=(\S+) )?(.+)$/gm);
  return [...copies].map(([, other, words = '']) => {
    const names = words.split(' ');
    return { stage: other, from: names.slice(0, -1), to: names.at(-1) as string };
  });
}

/** The value of an instruction of the Dockerfile in its JSON form, such as `CMD`. */
export function imageCommand(instruction: RegExp): string[] {
  const found = instruction.exec(readText('deploy/Dockerfile'))?.[1];
  if (!found) throw new Error(`The Dockerfile has no ${instruction}.`);
  return JSON.parse(found);
}

/** The values of every key of a systemd unit, in order. */
export function unitOf(name: string): Map<string, string[]> {
  const lines = readText(`deploy/systemd/${name}`).matchAll(/^(\w+)=(.*)$/gm);
  const unit = new Map<string, string[]>();
  for (const [, key = '', value = ''] of lines) unit.set(key, [...(unit.get(key) ?? []), value]);
  return unit;
}
