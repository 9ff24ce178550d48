/**
 * The standard OTEL_* variables, as far as they concern an exporter of spans over HTTP. As OpenTelemetry asks,
 * a value that cannot be used is ignored with a warning: tracing is never a reason not to start.
 * https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/
 */
import { type SamplerName, samplers } from './sampler.ts';

export interface ExportSettings extends Collector {
  timeoutMs: number;
  isCompressed: boolean;
  maxQueueSize: number;
  maxBatchSize: number;
  scheduleDelayMs: number;
}

export interface TracingSettings {
  protocol: Protocol;
  sampler: { name: SamplerName; ratio: number };
  resource: Record<string, string>;
  exporting: ExportSettings;
}

const protocols = ['http/protobuf', 'http/json'] as const;
export type Protocol = (typeof protocols)[number];

export interface ReadSettings {
  /** Undefined if spans are not exported. */
  settings: TracingSettings | undefined;
  /** Whole sentences. */
  warnings: string[];
}

/** Whether the rest is worth loading. */
export function isTracingAsked(variables: Variables): boolean {
  return tracesOrAll(variables, 'ENDPOINT') !== undefined;
}

export function readTracingSettings(variables: Variables): ReadSettings {
  const warnings: string[] = [];
  const off = { settings: undefined, warnings };
  if (given(variables, 'OTEL_SDK_DISABLED')?.toLowerCase() === 'true') return off;
  const exporter = given(variables, 'OTEL_TRACES_EXPORTER') ?? 'otlp';
  if (exporter === 'none') return off;
  if (exporter !== 'otlp') {
    warnings.push(
      `OTEL_TRACES_EXPORTER must be otlp or none, not ${exporter}. Spans are not exported.`,
    );
    return off;
  }
  const collector = readCollector(variables, warnings);
  if (!collector) {
    warnings.push(
      'OTEL_EXPORTER_OTLP_ENDPOINT must be an http or https URL. Spans are not exported.',
    );
    return off;
  }
  const protocol = tracesOrAll(variables, 'PROTOCOL') ?? 'http/protobuf';
  if (!isOneOf(protocols, protocol)) {
    warnings.push(
      `OTEL_EXPORTER_OTLP_PROTOCOL must be http/protobuf or http/json, not ${protocol}. Spans are not exported.`,
    );
    return off;
  }
  const count = (name: string, fallback: number) => readCount(variables, name, fallback, warnings);
  const maxQueueSize = count('OTEL_BSP_MAX_QUEUE_SIZE', 2_048);
  const timeoutName =
    given(variables, 'OTEL_EXPORTER_OTLP_TRACES_TIMEOUT') === undefined
      ? 'OTEL_EXPORTER_OTLP_TIMEOUT'
      : 'OTEL_EXPORTER_OTLP_TRACES_TIMEOUT';
  const settings: TracingSettings = {
    protocol,
    sampler: samplerOf(variables, warnings),
    resource: {
      'service.name': 'bellhop',
      ...pairs(variables, 'OTEL_RESOURCE_ATTRIBUTES', warnings),
      ...serviceName(variables),
    },
    exporting: {
      ...collector,
      timeoutMs: count(timeoutName, 10_000),
      isCompressed: tracesOrAll(variables, 'COMPRESSION') === 'gzip',
      maxQueueSize,
      maxBatchSize: Math.min(count('OTEL_BSP_MAX_EXPORT_BATCH_SIZE', 512), maxQueueSize),
      scheduleDelayMs: count('OTEL_BSP_SCHEDULE_DELAY', 5_000),
    },
  };
  return { settings, warnings };
}

function samplerOf(variables: Variables, warnings: string[]): TracingSettings['sampler'] {
  const name = given(variables, 'OTEL_TRACES_SAMPLER') ?? 'parentbased_always_on';
  if (!isOneOf(samplers, name)) {
    warnings.push(
      `OTEL_TRACES_SAMPLER must be one of ${samplers.join(', ')}. parentbased_always_on is used.`,
    );
    return { name: 'parentbased_always_on', ratio: 1 };
  }
  const arg = given(variables, 'OTEL_TRACES_SAMPLER_ARG');
  const ratio = Number(arg ?? 1);
  if (ratio >= 0 && ratio <= 1) return { name, ratio };
  warnings.push('OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1. 1 is used.');
  return { name, ratio: 1 };
}

function serviceName(variables: Variables): Record<string, string> {
  const name = given(variables, 'OTEL_SERVICE_NAME');
  return name === undefined ? {} : { 'service.name': name };
}

function readCount(
  variables: Variables,
  name: string,
  fallback: number,
  warnings: string[],
): number {
  const text = given(variables, name);
  if (text === undefined) return fallback;
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  warnings.push(`${name} must be a whole number above 0. ${fallback} is used.`);
  return fallback;
}

function isOneOf<T extends string>(all: readonly T[], one: string): one is T {
  return (all as readonly string[]).includes(one);
}

/**
 * Where spans go, and with which headers. Credentials in the address become a header: `fetch` refuses such an
 * address, with an error that repeats it, and errors are logged.
 */
interface Collector {
  /** Without credentials. */
  url: string;
  headers: Record<string, string>;
}

/** Undefined if the address is not an http or https URL. */
function readCollector(variables: Variables, warnings: string[]): Collector | undefined {
  const url = endpointOf(variables);
  if (!url) return undefined;
  const headers = {
    ...pairs(variables, 'OTEL_EXPORTER_OTLP_HEADERS', warnings, isHeader),
    ...pairs(variables, 'OTEL_EXPORTER_OTLP_TRACES_HEADERS', warnings, isHeader),
  };
  const { username, password } = url;
  url.username = '';
  url.password = '';
  const hasOwn = Object.keys(headers).some((name) => name.toLowerCase() === 'authorization');
  if ((username || password) && !hasOwn) headers.authorization = basic(username, password);
  return { url: url.href, headers };
}

/** The address for traces is used as it is; to the common one, the path of traces is added. */
function endpointOf(variables: Variables): URL | undefined {
  const own = given(variables, 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT');
  const all = given(variables, 'OTEL_EXPORTER_OTLP_ENDPOINT');
  const text = own ?? (all && `${all.replace(/\/$/, '')}/v1/traces`);
  return text && /^https?:\/\//i.test(text) ? (URL.parse(text) ?? undefined) : undefined;
}

function basic(username: string, password: string): string {
  const plain = [username, password].map((part) => decoded(part) ?? part).join(':');
  return `Basic ${Buffer.from(plain).toString('base64')}`;
}

/** If not, every export would fail, with an error that repeats the value. */
function isHeader(name: string, value: string): boolean {
  try {
    new Headers([[name, value]]);
    return true;
  } catch {
    return false;
  }
}

/** How OTEL_* variables are read. */
type Variables = Readonly<Record<string, string | undefined>>;

/** An empty value counts as unset. */
function given(variables: Variables, name: string): string | undefined {
  return variables[name]?.trim() || undefined;
}

/** A variable for traces comes before the same one for everything. */
function tracesOrAll(variables: Variables, name: string): string | undefined {
  return (
    given(variables, `OTEL_EXPORTER_OTLP_TRACES_${name}`) ??
    given(variables, `OTEL_EXPORTER_OTLP_${name}`)
  );
}

/**
 * `a=b,c=d`, with percent-encoded values. Parts that are not a pair, or that `isUsable` rejects, are ignored. The
 * values may be secrets, so no warning repeats them.
 */
function pairs(
  variables: Variables,
  name: string,
  warnings: string[],
  isUsable: (name: string, value: string) => boolean = () => true,
): Record<string, string> {
  const found: Record<string, string> = {};
  for (const pair of (given(variables, name) ?? '').split(',')) {
    if (pair.trim() === '') continue;
    const [, key = '', text = ''] = /^\s*([^=\s]+)\s*=\s*(.*?)\s*$/.exec(pair) ?? [];
    const value = decoded(text);
    if (key !== '' && value !== undefined && isUsable(key, value)) found[key] = value;
    else warnings.push(`${name} must be a list of name=value. One part of it is ignored.`);
  }
  return found;
}

/** Without percent-encoding; undefined if the encoding is wrong. */
function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
