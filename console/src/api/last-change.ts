/** The last change made through the support API, so that the notice about it can offer it as a curl command. */
export interface Change {
  method: string;
  path: string;
  body: unknown;
}

let last: Change | undefined;

export function noteChange(change: Change): void {
  if (change.method !== 'GET') last = change;
}

/** Each change is offered once, with the first notice after it. */
export function takeLastChange(): Change | undefined {
  const taken = last;
  last = undefined;
  return taken;
}
