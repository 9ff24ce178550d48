/** What the rest of the server uses to measure itself. How it is counted and written is in metrics/. */
export { type Counter, type Histogram, joinMetrics, Metrics } from './metrics/registry.ts';
export type { MetricsFormat } from './metrics/series.ts';
