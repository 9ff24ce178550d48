/** Composes the sending of mails: one mailer for each environment, all to the same mail server. */
import type { Config } from '../base/config/config.ts';
import type { EnvironmentName } from '../base/config/settings.ts';
import type { Metrics } from '../base/metrics.ts';
import { type Mailer, startMailer } from '../notices/mailer.ts';
import type { Environment } from './environment.ts';

export interface Mailing {
  /** Sentences while the mail server does not take mails. */
  troubles(): string[];
  stop(): Promise<void>;
}

/** Sends nothing if there is no mail server. */
export function startMailing(
  environments: Iterable<Environment>,
  parts: { config: Config; portalUrl(): string; metrics: Metrics },
): Mailing {
  const { config, portalUrl, metrics } = parts;
  const { smtpServer: server, mailFrom: from, portalName } = config;
  const mailers = new Map<EnvironmentName, Mailer>();
  for (const { name, store, clock, log } of environments) {
    if (!server || !from) break;
    const mailer = startMailer({
      environment: name,
      queue: store.mails,
      server,
      letterhead: () => ({ environment: name, from, portalName, portalUrl: portalUrl() }),
      clock,
      log,
      metrics,
    });
    mailers.set(name, mailer);
  }
  return {
    troubles: () =>
      [...mailers].flatMap(([name, mailer]) => {
        const trouble = mailer.trouble();
        return trouble === undefined ? [] : `${name}: ${trouble}`;
      }),
    async stop() {
      await Promise.all([...mailers.values()].map((mailer) => mailer.stop()));
    },
  };
}
