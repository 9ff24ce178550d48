import type { Store } from '../../store/store.ts';
import type { SupportEnvironment } from '../environment.ts';

/** The same environment; each audit row says through which session of the portal the change was made. */
export function throughSession(
  environment: SupportEnvironment,
  sessionId: string,
): SupportEnvironment {
  const { store } = environment;
  const through = { portal_session: sessionId };
  const change: Store['change'] = (actor, work) =>
    store.change(actor, (one) =>
      work({
        ...one,
        audit: (action, subject, before, after) =>
          one.audit(action, subject, before, { ...after, ...through }),
        auditMore: (id, after) => one.auditMore(id, { ...after, ...through }),
      }),
    );
  return { ...environment, store: { ...store, change } };
}
