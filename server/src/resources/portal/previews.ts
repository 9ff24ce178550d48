import type { SupportEnvironment } from '../environment.ts';
import { endPreviewLinks } from './links.ts';
import { endSessionsOf } from './sessions.ts';

/**
 * Part of deleting a token, and of ending the sessions of a person: they no longer see what partners see. `who` is what
 * the audit has of them in parentheses. Links that they made for partners stay, because partners have them. Links come
 * first: one that is being used is then found as a session.
 */
export async function endPreviews(
  environments: Iterable<SupportEnvironment>,
  actor: string,
  who: string,
): Promise<void> {
  for (const { store } of environments) {
    await store.change(actor, async (change) => {
      const withdrawn = await endPreviewLinks(change, who);
      const ended = await endSessionsOf(change, { previewsBy: who });
      if (withdrawn + ended === 0) return change.unchanged(undefined);
    });
  }
}
