import { failureCodes } from '../receiver/failure-codes.ts';

/** `status`: the receiver answered with a status other than 2xx. `signing`: signing failed. */
export const attemptFailures = ['status', ...failureCodes, 'signing'] as const;
