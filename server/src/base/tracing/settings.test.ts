import { expect, test } from 'vitest';
import { createSampler, type SamplerName } from './sampler.ts';
import { isTracingAsked, readTracingSettings } from './settings.ts';

const ENDPOINT = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' };

test('without an endpoint, nothing is traced', () => {
  expect(isTracingAsked({ OTEL_SERVICE_NAME: 'x', OTEL_EXPORTER_OTLP_ENDPOINT: ' ' })).toBe(false);
});

test('the defaults are those of OpenTelemetry', () => {
  expect(isTracingAsked(ENDPOINT)).toBe(true);
  expect(readTracingSettings(ENDPOINT)).toEqual({
    warnings: [],
    settings: {
      protocol: 'http/protobuf',
      sampler: { name: 'parentbased_always_on', ratio: 1 },
      resource: { 'service.name': 'bellhop' },
      exporting: {
        url: 'http://collector:4318/v1/traces',
        headers: {},
        timeoutMs: 10_000,
        isCompressed: false,
        maxQueueSize: 2_048,
        maxBatchSize: 512,
        scheduleDelayMs: 5_000,
      },
    },
  });
});

test('settings for traces come before those for everything', () => {
  const { settings, warnings } = readTracingSettings({
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://all:4318/',
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://traces/here?x=1',
    OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
    OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'http/json',
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Basic%20abc%3D%3D, x-team = a ',
    OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'x-team=b',
    OTEL_EXPORTER_OTLP_TIMEOUT: '1',
    OTEL_EXPORTER_OTLP_TRACES_TIMEOUT: '2000',
    OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip',
    OTEL_SERVICE_NAME: 'named',
    OTEL_RESOURCE_ATTRIBUTES: 'service.name=other,k8s.pod.name=bellhop-1',
    OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
    OTEL_TRACES_SAMPLER_ARG: '0.25',
    OTEL_BSP_MAX_QUEUE_SIZE: '100',
  });
  expect(warnings).toEqual([]);
  expect(settings).toMatchObject({
    protocol: 'http/json',
    sampler: { name: 'parentbased_traceidratio', ratio: 0.25 },
    resource: { 'service.name': 'named', 'k8s.pod.name': 'bellhop-1' },
    exporting: {
      url: 'https://traces/here?x=1',
      headers: { authorization: 'Basic abc==', 'x-team': 'b' },
      timeoutMs: 2_000,
      isCompressed: true,
      maxQueueSize: 100,
      maxBatchSize: 100,
    },
  });
});

test.each([
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'https://user:pa%20ss@collector', 'https://collector/v1/traces'],
  ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'https://user:pa%20ss@here/?x=1', 'https://here/?x=1'],
])(
  'the user and password in %s become a header, unless the headers have one',
  (name, value, url) => {
    const given = { ...ENDPOINT, [name]: value };
    expect(readTracingSettings(given)).toMatchObject({
      warnings: [],
      settings: { exporting: { url, headers: { authorization: `Basic ${btoa('user:pa ss')}` } } },
    });
    const own = { ...given, OTEL_EXPORTER_OTLP_HEADERS: 'Authorization=Bearer%20token' };
    const { settings } = readTracingSettings(own);
    expect(settings?.exporting).toMatchObject({ url, headers: { Authorization: 'Bearer token' } });
    expect(settings?.exporting.headers).not.toHaveProperty('authorization');
  },
);

test.each([
  ['OTEL_SDK_DISABLED', 'TRUE', []],
  ['OTEL_TRACES_EXPORTER', 'none', []],
  ['OTEL_TRACES_EXPORTER', 'zipkin', ['OTEL_TRACES_EXPORTER must be otlp or none']],
  ['OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc', ['OTEL_EXPORTER_OTLP_PROTOCOL must be http/protobuf']],
  [
    'OTEL_EXPORTER_OTLP_ENDPOINT',
    'collector:4318',
    ['OTEL_EXPORTER_OTLP_ENDPOINT must be an http'],
  ],
])('%s=%s switches spans off', (name, value, beginnings) => {
  const { settings, warnings } = readTracingSettings({ ...ENDPOINT, [name]: value });
  expect(settings).toBeUndefined();
  expect(warnings).toEqual(beginnings.map((text) => expect.stringContaining(text)));
});

test.each([
  ['OTEL_TRACES_SAMPLER', 'sometimes'],
  ['OTEL_TRACES_SAMPLER_ARG', '2'],
  ['OTEL_TRACES_SAMPLER_ARG', 'half'],
  ['OTEL_BSP_MAX_QUEUE_SIZE', '0'],
  ['OTEL_BSP_SCHEDULE_DELAY', '5s'],
  ['OTEL_EXPORTER_OTLP_HEADERS', 'secret'],
  ['OTEL_EXPORTER_OTLP_HEADERS', 'authorization=secret%'],
  // fetch would refuse them with an error that repeats the value.
  ['OTEL_EXPORTER_OTLP_HEADERS', 'authorization=secret%0Aword'],
  ['OTEL_EXPORTER_OTLP_TRACES_HEADERS', 'secret:name=secret'],
])('%s=%s is ignored with a warning that does not repeat it', (name, value) => {
  const { settings, warnings } = readTracingSettings({ ...ENDPOINT, [name]: value });
  expect(settings).toEqual(readTracingSettings(ENDPOINT).settings);
  expect(warnings).toEqual([expect.stringMatching(new RegExp(`^${name} must be .*\\.$`))]);
  expect(warnings[0]).not.toContain('secret');
});

const LOW = '0'.repeat(31).concat('1');
const HIGH = 'f'.repeat(32);
const parent = (flags: number) => ({
  traceId: LOW,
  spanId: 'a'.repeat(16),
  flags,
  state: undefined,
});

test.each<[SamplerName, number, boolean[]]>([
  // Without a parent: a low and a high trace id; with one: not sampled, sampled.
  ['always_on', 1, [true, true, true, true]],
  ['always_off', 1, [false, false, false, false]],
  ['traceidratio', 0.5, [false, true, false, false]],
  ['traceidratio', 1, [true, true, true, true]],
  ['traceidratio', 0, [false, false, false, false]],
  ['parentbased_always_on', 1, [true, true, false, true]],
  ['parentbased_always_off', 1, [false, false, false, true]],
  ['parentbased_traceidratio', 0.5, [false, true, false, true]],
])('the sampler %s with %d', (name, ratio, decisions) => {
  const sampler = createSampler(name, ratio);
  expect([
    sampler(undefined, LOW),
    sampler(undefined, HIGH),
    sampler(parent(0), LOW),
    sampler(parent(1), LOW),
  ]).toEqual(decisions);
});
