/** Why a sign-in through OpenID Connect failed, by the code in the address. */
export const refusals: Readonly<Record<string, string>> = {
  cancelled: 'You cancelled the sign-in, or the provider denied access. Try again, or use a token.',
  no_role:
    'Your account has no role in Bellhop. Ask your administrator for one, or sign in with another account.',
  no_claim:
    'The sign-in provider did not tell Bellhop which roles you have. Ask your administrator to let the provider send them; the log of Bellhop names the claim that is missing.',
  signed_out: 'You are no longer signed in at the sign-in provider. Sign in again.',
  expired: 'The sign-in took too long, or its link was used before. Try again.',
  unreachable: 'The sign-in provider does not answer. Try again in a moment, or use a token.',
  held_back: 'Too many sign-ins from your network have failed. Try again in a minute.',
  failed:
    "Bellhop could not verify the provider's answer. Try again. If it fails again, ask your administrator to look at Bellhop's log.",
};

/** The provider would sign in the same account again without asking. */
export function needsAnotherAccount(refused: string | undefined): boolean {
  return refused === 'no_role' || refused === 'no_claim' || refused === 'cancelled';
}
