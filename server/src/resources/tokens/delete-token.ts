import type { BackOfficeStore } from '../../store/back-office/store.ts';
import type { SupportEnvironment } from '../environment.ts';
import { endPreviews } from '../portal/previews.ts';
import { Problem } from '../problem.ts';
import { deleteToken } from './tokens.ts';

/**
 * Deletes the token, and ends what was opened with it in every environment. Those have databases of their own. If one of
 * them is away, the request fails, and repeating it ends the rest, although the token is already gone.
 */
export async function deleteTokenEverywhere(
  environments: Iterable<SupportEnvironment>,
  store: BackOfficeStore,
  actor: string,
  id: string,
): Promise<void> {
  const refused = await deleteToken(store, actor, id).catch((error: unknown) => error);
  if (refused !== undefined && !isGone(refused)) throw refused;
  await endPreviews(environments, actor, id);
  if (refused !== undefined) throw refused;
}

function isGone(error: unknown): boolean {
  return error instanceof Problem && error.code === 'token_not_found';
}
