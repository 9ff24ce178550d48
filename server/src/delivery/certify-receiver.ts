/** The certification of a midoffice's receiver, with its own URL and keys and the same guard as deliveries. */
import type { Clock } from '../clock.ts';
import type { EnvironmentConfig } from '../config/config.ts';
import type { CheckedForm } from '../receiver-check/lines.ts';
import type { Report } from '../receiver-check/report.ts';
import { checkReceiver } from '../receiver-check/run.ts';
import type { Store } from '../store/store.ts';
import type { Webhooks } from '../support/desk.ts';
import type { Vault } from '../vault.ts';
import { keysInForce } from './sign.ts';

/** A proxy in front of the back office gives up after a minute; the console waits as long. */
const LONGEST_CERTIFICATION_MS = 30_000;

interface Parts {
  settings: Pick<EnvironmentConfig, 'receiverAllow' | 'receiverTimeoutMs'>;
  store: Pick<Store, 'queue'>;
  vault: Vault;
  clock: Clock;
}

export function createCertifier(parts: Parts): Webhooks['certifyReceiver'] {
  /** Whoever asks while one runs gets its report: a receiver is not to be played with twice at once. */
  const running = new Map<string, Promise<Report>>();
  return (midofficeId, form) => {
    const which = `${midofficeId} ${form}`;
    const joined = running.get(which);
    if (joined) return joined;
    const report = certify(parts, midofficeId, form).finally(() => running.delete(which));
    running.set(which, report);
    return report;
  };
}

async function certify(
  { settings, store, vault, clock }: Parts,
  midofficeId: string,
  form: CheckedForm,
): Promise<Report> {
  const [lane] = await store.queue.lanes([midofficeId]);
  if (!lane) throw new Error(`midoffice ${midofficeId} is gone`);
  const { url, signingKey } = lane;
  return checkReceiver({
    url,
    keys: keysInForce(signingKey, clock.now()).map(({ sealed }) =>
      vault.open(signingKey.keyId, sealed),
    ),
    timeoutMs: settings.receiverTimeoutMs,
    allow: settings.receiverAllow,
    form,
    signal: AbortSignal.timeout(LONGEST_CERTIFICATION_MS),
  });
}
