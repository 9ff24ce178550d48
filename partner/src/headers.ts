/**
 * Reads the Standard Webhooks headers from a Fetch `Headers` or from a plain object such as Node's
 * `request.headers`.
 */
export type HeaderSource =
  | { get(name: string): string | null | undefined }
  | Readonly<Record<string, string | readonly string[] | undefined>>;

export interface ReceivedHeaders {
  webhookId: string;
  /** Unix seconds. */
  timestamp: number;
  /** Base64; only the `v1` signatures. The header may also contain later versions. */
  digests: string[];
}

const WHOLE_SECONDS = /^(?:0|[1-9]\d{0,14})$/;

/** Undefined if there are none; `malformed` if they are incomplete or unreadable. */
export function readHeaders(source: HeaderSource): ReceivedHeaders | 'malformed' | undefined {
  const webhookId = header(source, 'webhook-id');
  const timestamp = header(source, 'webhook-timestamp');
  const signatures = header(source, 'webhook-signature');
  if (webhookId === undefined && timestamp === undefined && signatures === undefined) {
    return undefined;
  }
  if (!webhookId || !signatures || !timestamp || !WHOLE_SECONDS.test(timestamp)) return 'malformed';
  const digests = signatures
    .split(' ')
    .filter((signature) => signature.startsWith('v1,'))
    .map((signature) => signature.slice(3));
  return { webhookId, timestamp: Number(timestamp), digests };
}

function header(source: HeaderSource, name: string): string | undefined {
  if (typeof source.get === 'function') return source.get(name) ?? undefined;
  const record = source as Readonly<Record<string, string | readonly string[] | undefined>>;
  const key = Object.keys(record).find((candidate) => candidate.toLowerCase() === name);
  const value = key === undefined ? undefined : record[key];
  // A repeated header may be an attempt at smuggling. Joined, it fails the checks, as it should.
  return typeof value === 'string' ? value : value?.join(', ');
}
