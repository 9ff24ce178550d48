/** The certification of a midoffice's receiver, with its own URL and keys and the same guard as deliveries. */
import {
  type CheckedForm,
  type CheckOptions,
  checkReceiver,
  type Report,
} from '@bellhop/partner/receiver-check';
import type { Cidr } from '../../base/addresses/addresses.ts';
import type { ProxyAddress } from '../../base/config/values.ts';
import type { ClientIdentity } from '../../receiver/client-certificate.ts';
import { createGuardedPost } from './guarded-post.ts';

/** A proxy in front of the back office gives up after a minute; the console waits as long. */
const LONGEST_CERTIFICATION_MS = 30_000;

export interface CertifierParts {
  receiverOf(midofficeId: string): Promise<Receiver>;
  timeoutMs: number;
  /** That of deliveries, so that the receiver sees the same address. */
  proxy: ProxyAddress | undefined;
  /** Addresses that may be called although they are not public. */
  allow: readonly Cidr[];
}

interface Receiver extends Pick<CheckOptions, 'url' | 'keys' | 'headers'> {
  /** The certificate that it may ask for. */
  identity: ClientIdentity | undefined;
}

export type Certify = (midofficeId: string, form: CheckedForm) => Promise<Report>;

export function createCertifier({ receiverOf, timeoutMs, proxy, allow }: CertifierParts): Certify {
  /** A second request joins the run in progress: two at once would confuse the receiver. */
  const running = new Map<string, Promise<Report>>();

  async function certify(midofficeId: string, form: CheckedForm): Promise<Report> {
    const { identity, ...receiver } = await receiverOf(midofficeId);
    const post = createGuardedPost({ allow, proxy }, identity);
    const signal = AbortSignal.timeout(LONGEST_CERTIFICATION_MS);
    return checkReceiver({ ...receiver, timeoutMs, form, signal, post });
  }

  return (midofficeId, form) => {
    const run = `${midofficeId} ${form}`;
    const joined = running.get(run);
    if (joined) return joined;
    const report = certify(midofficeId, form).finally(() => running.delete(run));
    running.set(run, report);
    return report;
  };
}
