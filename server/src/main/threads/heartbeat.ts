/**
 * Detects that the other thread's event loop is blocked: an endless loop stops that half of the process,
 * and nothing else would show it. It counts the requests without an answer rather than the time, because
 * a suspended process sends none.
 */
export const BEAT_MS = 1_000;
/** After this many, /health reports it. */
export const SILENT_AFTER_BEATS = 5;
/** After this many, the process exits, to be restarted. */
export const LOST_AFTER_BEATS = 30;

export interface Heartbeat {
  /** The other thread has not answered for a while. */
  isSilent(): boolean;
  stop(): void;
}

/** `ask` resolves when the other thread answers; `onLost` is called once if it stays silent. */
export function startHeartbeat(ask: () => Promise<unknown>, onLost: () => void): Heartbeat {
  let unanswered = 0;
  const beating = setInterval(() => {
    unanswered++;
    if (unanswered > LOST_AFTER_BEATS) {
      clearInterval(beating);
      onLost();
      return;
    }
    ask().then(
      () => {
        unanswered = 0;
      },
      // The link was closed; the side that closed it knows the reason.
      () => {},
    );
  }, BEAT_MS).unref();
  return {
    isSilent: () => unanswered > SILENT_AFTER_BEATS,
    stop: () => clearInterval(beating),
  };
}
