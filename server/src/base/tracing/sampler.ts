/** Decides which traces are recorded, as OpenTelemetry's samplers of the same names do. */
import { isSampled, type TraceContext } from './trace-context.ts';

export const samplers = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;
export type SamplerName = (typeof samplers)[number];

export type Sampler = (parent: TraceContext | undefined, traceId: string) => boolean;

/** Hex digits of a trace id that are compared: what a number holds exactly. */
const COMPARED_DIGITS = 13;

export function createSampler(name: SamplerName, ratio: number): Sampler {
  const root = rootSampler(name.replace('parentbased_', ''), ratio);
  if (!name.startsWith('parentbased_')) return (_parent, traceId) => root(traceId);
  return (parent, traceId) => (parent ? isSampled(parent) : root(traceId));
}

/** By the end of the trace id, so that every service with the same ratio decides alike. */
function rootSampler(name: string, ratio: number): (traceId: string) => boolean {
  if (name === 'always_on' || (name === 'traceidratio' && ratio >= 1)) return () => true;
  if (name === 'always_off' || ratio <= 0) return () => false;
  const threshold = (1 - ratio) * 16 ** COMPARED_DIGITS;
  return (traceId) => Number.parseInt(traceId.slice(-COMPARED_DIGITS), 16) >= threshold;
}
