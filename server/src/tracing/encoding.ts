/**
 * How spans are written for the collector (OTLP over HTTP). Each span is encoded when it ends: encoding a
 * whole batch at once would block the thread for some milliseconds.
 */
import type { FinishedSpan } from './span.ts';

export interface Encoding {
  contentType: string;
  span(span: FinishedSpan): Buffer;
  /** The body of one request. */
  batch(spans: readonly Buffer[]): Buffer;
}

/** What all spans of a thread have in common. */
export interface Source {
  /** `service.name` and the like. */
  resource: Readonly<Record<string, string>>;
  scope: { name: string; version: string };
}
