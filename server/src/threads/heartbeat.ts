/**
 * Notices that the other thread's event loop no longer turns: an endless loop there stops its half of
 * the process, and nothing else would show it. What counts is how often this thread asked without an
 * answer, not the time that passed, since a suspended process does not ask.
 */
export const BEAT_MS = 1_000;
/** From then on /health reports it. */
export const SILENT_AFTER_BEATS = 5;
/** Then the process ends, to be started again. */
export const LOST_AFTER_BEATS = 30;

export interface Heartbeat {
  /** The other thread has not answered for a while. */
  isSilent(): boolean;
  stop(): void;
}

/** `ask` resolves when the other thread answers; `onLost` is called once, if it does not for long. */
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
      // The link is closed, and the reason is known where it was closed.
      () => {},
    );
  }, BEAT_MS).unref();
  return {
    isSilent: () => unanswered > SILENT_AFTER_BEATS,
    stop: () => clearInterval(beating),
  };
}
