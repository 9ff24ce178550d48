/**
 * The same Bellhop with two settings. Processes that are equal in every way may differ by 15 % in their calls per second,
 * for as long as they run, and the one that was started first tends to be the slower. So there are two of each setting,
 * started in the order A, B, B, A, and a round's figure is the mean of the two.
 */
import { type Bellhop, startBellhop } from './bellhop.ts';
import type { Session } from './bench.ts';
import { refusedKey, unlimitedKey } from './keys.ts';
import type { Side } from './side-by-side.ts';
import { callsPerSecond, type Load } from './wrk.ts';

export interface Subject {
  bellhop: Bellhop;
  /** Files with the Authorization values of a key without limits, and of one that is refused. */
  unlimited: string;
  refused: string;
}

export interface Setting {
  name: string;
  subjects: [Subject, Subject];
}

interface Wanted {
  name: string;
  env: Record<string, string>;
}

export async function startTwoSettings(
  session: Session,
  a: Wanted,
  b: Wanted,
): Promise<[Setting, Setting]> {
  const first = await startSubject(session, a.env);
  const second = await startSubject(session, b.env);
  const third = await startSubject(session, b.env);
  const fourth = await startSubject(session, a.env);
  return [
    { name: a.name, subjects: [first, fourth] },
    { name: b.name, subjects: [second, third] },
  ];
}

async function startSubject(session: Session, env: Record<string, string>): Promise<Subject> {
  const folder = await session.folder();
  const bellhop = await startBellhop(session, folder, env);
  return {
    bellhop,
    unlimited: await unlimitedKey(bellhop, folder),
    refused: await refusedKey(bellhop, folder),
  };
}

export function meanCallsPerSecond(setting: Setting, loadOf: (subject: Subject) => Load): Side {
  return meanOfBoth(setting, (one) => callsPerSecond(setting.name, one.bellhop, loadOf(one)));
}

export function meanOfBoth({ name, subjects }: Setting, sideOf: (subject: Subject) => Side): Side {
  const sides = subjects.map(sideOf);
  return {
    name,
    async measure() {
      const figures: number[] = [];
      const details: Record<string, number> = {};
      for (const side of sides) {
        const measured = await side.measure();
        figures.push(measured.figure);
        for (const [key, value] of Object.entries(measured.details ?? {})) {
          details[key] = (details[key] ?? 0) + value / sides.length;
        }
      }
      return { figure: figures.reduce((sum, one) => sum + one, 0) / figures.length, details };
    },
  };
}
