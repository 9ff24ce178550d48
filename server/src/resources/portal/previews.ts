import type { SupportEnvironment } from '../environment.ts';
import { endPreviewLinks } from './links.ts';
import { endSessionsOf } from './sessions.ts';

/**
 * Part of deleting a token: whoever had it no longer sees what partners see. Links that were made with it for partners
 * stay, because partners have them. Links come first: one that is being used is then found as a session.
 */
export async function endPreviews(
  { store }: SupportEnvironment,
  actor: string,
  tokenId: string,
): Promise<void> {
  await store.change(actor, async (change) => {
    const withdrawn = await endPreviewLinks(change, tokenId);
    const ended = await endSessionsOf(change, { previewsByToken: tokenId });
    if (withdrawn + ended === 0) return change.unchanged(undefined);
  });
}
