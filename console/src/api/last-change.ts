/** The last change made through the support API, so that the notice about it can offer it as a curl command. */
export interface Change {
  method: string;
  path: string;
  body: unknown;
}

let last: Change | undefined;

/** Signing in is not an action of the support API, and its body is a token. */
export function noteChange(change: Change): void {
  if (change.method !== 'GET' && change.path.startsWith('/support/')) last = change;
}

/** Each change is offered once, with the first notice after it. */
export function takeLastChange(): Change | undefined {
  const taken = last;
  last = undefined;
  return taken;
}
