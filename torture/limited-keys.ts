/** Keys whose limits the torture exhausts: in each environment a short window, and one that outlives kills. */
import { type EnvironmentName, environments } from '../kit/bellhop.ts';
import type { BackOffice } from './back-office.ts';

export interface LimitedKey {
  environment: EnvironmentName;
  keyId: string;
  /** The value of an Authorization header. */
  authorization: string;
  requests: number;
  seconds: number;
}

export const ENDPOINT = 'api/b2b/v3/overview/';

/** The second is not full when the first faults come, and stays full from then on. */
const WINDOWS = [
  { requests: 10, seconds: 2 },
  { requests: 60, seconds: 3_600 },
] as const;

export async function createLimitedKeys(backOffice: BackOffice): Promise<LimitedKey[]> {
  const creating = environments.flatMap((environment) =>
    WINDOWS.map((window) => createLimitedKey(backOffice, environment, window)),
  );
  return Promise.all(creating);
}

export async function createLimitedKey(
  backOffice: BackOffice,
  environment: EnvironmentName,
  { requests, seconds }: Pick<LimitedKey, 'requests' | 'seconds'>,
): Promise<LimitedKey> {
  const { id } = await backOffice.support('createPartner', {
    environment,
    body: {
      name: `${requests} calls in ${seconds} s`,
      integration_started_on: '2025-11-01',
      is_new: true,
    },
  });
  // In production, a limit is raised only for partners that are certified.
  await backOffice.support('certifyPartner', { environment, id, body: { reference: 'torture' } });
  const { key_id, api_key } = await backOffice.support('createKey', { environment, id });
  await backOffice.support('putGrant', {
    environment,
    key_id,
    body: {
      endpoint: ENDPOINT,
      is_limited: true,
      requests_number: requests,
      seconds_number: seconds,
      approval_reference: 'torture',
    },
  });
  const authorization = `Basic ${Buffer.from(`${key_id}:${api_key}`).toString('base64')}`;
  return { environment, keyId: key_id, authorization, requests, seconds };
}
