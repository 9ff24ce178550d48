/**
 * Bounds what order events may take up in memory before they are stored. A sender that is faster than the
 * database is refused promptly, before its body is read, instead of filling the heap.
 */

/** A second's worth on a slow disk, so that an event that is taken in is stored soon. */
export const MOST_WAITING_EVENTS = 20_000;
/** Bodies being read or waiting; parsed, they take up about five times as much. */
export const MOST_BODY_BYTES = 16 * 1_048_576;
/** A body that does not announce its length counts as this much. */
const UNANNOUNCED_BYTES = 262_144;

export interface Intake {
  /** Undefined if there is no room. Call what it returns when the request is answered or gone. */
  enter(announcedBytes: number | undefined): (() => void) | undefined;
}

export function createIntake(waitingEvents: () => number, onRefused: () => void): Intake {
  let bodyBytes = 0;
  return {
    enter(announcedBytes = UNANNOUNCED_BYTES) {
      // One that is alone always has room, however large it is.
      const hasRoom = bodyBytes === 0 || bodyBytes + announcedBytes <= MOST_BODY_BYTES;
      if (!hasRoom || waitingEvents() >= MOST_WAITING_EVENTS) {
        onRefused();
        return undefined;
      }
      bodyBytes += announcedBytes;
      let isInside = true;
      return () => {
        if (isInside) bodyBytes -= announcedBytes;
        isInside = false;
      };
    },
  };
}
