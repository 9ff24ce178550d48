/**
 * Where spans go, and with which headers. Credentials in the address become a header: `fetch` refuses such an
 * address, with an error that repeats it, and errors are logged.
 */
import { decoded, given, pairs, type Variables } from './variables.ts';

export interface Collector {
  /** Without credentials. */
  url: string;
  headers: Record<string, string>;
}

/** Undefined if the address is not an http or https URL. */
export function readCollector(variables: Variables, warnings: string[]): Collector | undefined {
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
