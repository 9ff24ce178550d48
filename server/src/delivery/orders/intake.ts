/**
 * Bounds what order events may take up in memory before they are stored. A sender that is faster than the database is
 * refused promptly, instead of filling the heap.
 *
 * A body counts with the bytes that have come, not with those that it announces: otherwise a sender that announces
 * much and sends nothing would keep everybody else out. If there is no room for more, the largest body that is still
 * arriving gives way, so a small one is the last to give way.
 */

/** A second's worth on a slow disk, so that an event that is taken in is stored soon. */
export const MOST_WAITING_EVENTS = 20_000;
const MIB = 1_048_576;
/** Enough for 1,000 events of the greatest length with every character escaped. */
export const LARGEST_BATCH_BYTES = 32 * MIB;
/** Bodies that are arriving or wait to be stored: one of the greatest size, and others beside it. */
export const MOST_BODY_BYTES = LARGEST_BATCH_BYTES + 8 * MIB;

export interface Intake {
  /** Undefined if there is no room. */
  enter(): ArrivingBody | undefined;
}

export interface ArrivingBody {
  /** Called if it has to give way while it arrives. */
  onRefused: () => void;
  /** So many bytes have come. */
  add(bytes: number): void;
  /** All of it is here. From now on it does not give way. */
  arrived(): void;
  /** It is answered, or gone. */
  leave(): void;
}

interface Body {
  bytes: number;
  room: ArrivingBody;
}

export function createIntake(waitingEvents: () => number, onRefused: () => void): Intake {
  const arriving = new Set<Body>();
  let completeBytes = 0;
  let bodyBytes = 0;

  function makeRoom(): void {
    while (bodyBytes > MOST_BODY_BYTES) {
      const largest = largestOf(arriving);
      // One that is alone always has room, whatever its size.
      if (!largest || largest.bytes === bodyBytes) return;
      arriving.delete(largest);
      bodyBytes -= largest.bytes;
      onRefused();
      largest.room.onRefused();
    }
  }

  return {
    enter() {
      if (completeBytes >= MOST_BODY_BYTES || waitingEvents() >= MOST_WAITING_EVENTS) {
        onRefused();
        return undefined;
      }
      let isComplete = false;
      const room: ArrivingBody = {
        onRefused() {},
        add(bytes) {
          if (!arriving.has(body)) return;
          body.bytes += bytes;
          bodyBytes += bytes;
          makeRoom();
        },
        arrived() {
          isComplete = arriving.delete(body);
          if (isComplete) completeBytes += body.bytes;
        },
        leave() {
          if (isComplete) completeBytes -= body.bytes;
          if (isComplete || arriving.delete(body)) bodyBytes -= body.bytes;
          isComplete = false;
        },
      };
      const body: Body = { bytes: 0, room };
      arriving.add(body);
      return room;
    },
  };
}

function largestOf(bodies: ReadonlySet<Body>): Body | undefined {
  let largest: Body | undefined;
  for (const body of bodies) if (!largest || body.bytes > largest.bytes) largest = body;
  return largest;
}
