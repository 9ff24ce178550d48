/** What a failed exchange with the provider means for the person who signs in. */
import * as client from 'openid-client';
import { ProviderUnreachable } from './bounded-fetch.ts';
import { SignInRefused } from './refusal.ts';

/** What the provider answers to `prompt=none` if it would have to show a page. */
const NEEDS_A_PAGE: readonly string[] = [
  'login_required',
  'interaction_required',
  'consent_required',
  'account_selection_required',
];

/** The library's errors contain the provider's answers, which the log must not have: only the words are kept. */
export function refuse(error: unknown): never {
  if (error instanceof SignInRefused) throw error;
  const { message, cause } = error as Error;
  const reason = cause instanceof Error ? `${message}: ${cause.message}` : message;
  if (error instanceof ProviderUnreachable || cause instanceof ProviderUnreachable) {
    throw new SignInRefused('unreachable', reason);
  }
  if (error instanceof client.AuthorizationResponseError) {
    if (error.error === 'access_denied') throw new SignInRefused('cancelled', error.error);
    if (NEEDS_A_PAGE.includes(error.error)) throw new SignInRefused('signed_out', error.error);
    const isDown = error.error === 'temporarily_unavailable' || error.error === 'server_error';
    throw new SignInRefused(isDown ? 'unreachable' : 'failed', `${message}: ${error.error}`);
  }
  if (error instanceof client.ResponseBodyError) {
    const isUsed = error.error === 'invalid_grant';
    throw new SignInRefused(isUsed ? 'expired' : 'failed', `${message}: ${error.error}`);
  }
  throw new SignInRefused('failed', reason);
}
