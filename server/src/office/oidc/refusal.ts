/** Why a sign-in through OpenID Connect failed. The console's sign-in page has a sentence for each code. */
export const refusals = [
  /** The person cancelled, or the provider denied access. */
  'cancelled',
  /** The provider knows the person, but no value of the claim gives a role. */
  'no_role',
  /** The provider knows the person, but sent no claim with roles: its set-up is incomplete, not the person's rights. */
  'no_claim',
  /** The provider was to ask nothing, but the person is not signed in there any more. */
  'signed_out',
  /** Too much time has passed, another browser began, or the code was used before. */
  'expired',
  /** The provider does not answer, or answers that it is out of order. */
  'unreachable',
  /** Too many failures from the same address. */
  'held_back',
  /** Anything else: a wrong setting, or an answer that fails a check. */
  'failed',
] as const;

export type RefusalCode = (typeof refusals)[number];

export class SignInRefused extends Error {
  readonly code: RefusalCode;

  /** `message` is for the log, and holds no secrets. */
  constructor(code: RefusalCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
