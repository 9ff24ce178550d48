/** Works through staged records a page at a time, and lets other work of this thread run in between. */
import type { ResolvedRecord, StagedKind, Staging } from './staging.ts';

/** Some 10 ms of work, so that webhooks and other requests hardly wait. */
export const PAGE = 200;

export async function inPages(
  staging: Staging,
  kind: StagedKind,
  work: (page: readonly ResolvedRecord[]) => Promise<void>,
): Promise<void> {
  for await (const page of staging.pages(kind, PAGE)) await work(page);
}
