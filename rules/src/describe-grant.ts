/** A change of an endpoint of a key, as a sentence: which endpoint, and from which limit to which. */
import { fieldsOf } from './differences.ts';
import { pathOf } from './endpoint-path.ts';
import { type Limit, letsMoreThrough } from './raise.ts';
import { inDigits, windowInWords } from './value-words.ts';

/** As an entry has it. */
interface Grant extends Limit {
  endpoint: string;
  is_active: boolean;
  is_debug_mode: boolean;
}

/** Undefined if the entry names no endpoint. */
export function describeGrant(before: unknown, after: unknown, name: string): string | undefined {
  const was = grantIn(before);
  const is = grantIn(after);
  const endpoint = (is ?? was)?.endpoint;
  if (endpoint === undefined) return undefined;
  const path = pathOf(endpoint);
  if (!is) return `withdrew ${path} from ${name}`;
  if (!was) return `granted ${path} to ${name}, ${limitOf(is)}`;
  const said = [...limitChange(was, is, path, name), ...flagChanges(was, is, path, name)];
  return said.length === 0 ? `saved ${path} of ${name} without a change` : said.join(', and ');
}

function grantIn(recorded: unknown): Grant | undefined {
  return 'endpoint' in fieldsOf(recorded) ? (recorded as Grant) : undefined;
}

function limitOf({ is_limited, requests_number, seconds_number }: Limit): string {
  if (!is_limited) return 'without a limit';
  return `${inDigits(requests_number)} ${windowInWords(seconds_number)}`;
}

function limitChange(was: Grant, is: Grant, path: string, name: string): string[] {
  if (limitOf(was) === limitOf(is)) return [];
  const verb = letsMoreThrough(was, is) ? 'raised' : 'lowered';
  const isSameWindow = was.is_limited && is.is_limited && was.seconds_number === is.seconds_number;
  const from = isSameWindow ? inDigits(was.requests_number) : limitOf(was);
  return [`${verb} ${path} for ${name} from ${from} to ${limitOf(is)}`];
}

function flagChanges(was: Grant, is: Grant, path: string, name: string): string[] {
  const said: string[] = [];
  if (was.is_active !== is.is_active) {
    said.push(`switched ${path} ${is.is_active ? 'on' : 'off'} for ${name}`);
  }
  if (was.is_debug_mode !== is.is_debug_mode) {
    said.push(`switched debug mode of ${path} ${is.is_debug_mode ? 'on' : 'off'} for ${name}`);
  }
  return said;
}
