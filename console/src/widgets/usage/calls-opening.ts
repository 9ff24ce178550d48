/** Opens the list of the refused and failed calls behind a bar. Calls that succeeded are only counted. */
import type { ReactNode } from 'react';

export interface CallSpan {
  since: string;
  until: string;
  /** Only calls of this endpoint. */
  endpoint?: string;
}

export interface CallsOpening {
  open(span: CallSpan): void;
  link(span: CallSpan, text: string): ReactNode;
}

/** The same for one endpoint. */
export function ofEndpoint({ open, link }: CallsOpening, endpoint: string): CallsOpening {
  return {
    open: (span) => open({ ...span, endpoint }),
    link: (span, text) => link({ ...span, endpoint }, text),
  };
}
