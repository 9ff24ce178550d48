/**
 * A Bellhop with some setting, started anew for each round. Processes that are equal in every way may differ by 15 % in
 * their calls per second, for as long as they run: rounds of one process would compare two processes, not two settings.
 */
import { type Bellhop, startBellhop } from './bellhop.ts';
import type { Session } from './bench.ts';
import { refusedKey, unlimitedKey } from './keys.ts';
import type { Round, Side } from './side-by-side.ts';

export interface Subject {
  bellhop: Bellhop;
  /** Files with the Authorization values of a key without limits, and of one that is refused. */
  unlimited: string;
  refused: string;
}

export interface Setting {
  name: string;
  env: Record<string, string>;
}

export async function startSubject(session: Session, { env }: Setting): Promise<Subject> {
  const folder = await session.folder();
  const bellhop = await startBellhop(session, folder, env);
  return {
    bellhop,
    unlimited: await unlimitedKey(bellhop, folder),
    refused: await refusedKey(bellhop, folder),
  };
}

/** How many times two settings alternate in a round. Both processes run throughout; one of them has nothing to do. */
export const TURNS = 2;

/** The sides of one process: the first measurement of each kind warms it up. */
export function newlyStarted(
  session: Session,
  setting: Setting,
): (measure: (subject: Subject) => Promise<Round>) => Side {
  let subject: Subject | undefined;
  return (measure) => ({
    name: setting.name,
    async begin() {
      subject ??= await startSubject(session, setting);
      await measure(subject);
    },
    async measure() {
      if (!subject) throw new Error(`${setting.name} was not started`);
      return measure(subject);
    },
    async end() {
      const ended = subject;
      subject = undefined;
      await ended?.bellhop.stop();
    },
  });
}
