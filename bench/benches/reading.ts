/** How long an event waits to be accepted while somebody reads the lists that cost most, with a million deliveries stored. */
import { type Bench, median, type Session } from '../bench.ts';
import { startNode } from '../processes.ts';
import { postDelaysMs, read, repeated } from '../reading/measure.ts';
import { readings } from '../reading/requests.ts';
import { prepareMuch } from '../reading/stock.ts';
import { type Side, sideBySide } from '../side-by-side.ts';

const SECONDS = 3;

export const reading: Bench = {
  name: 'reading',
  async run(session: Session) {
    const receiver = await startNode(session, 'bench/servers/receiver.ts', []);
    const { start, midoffices } = await prepareMuch(session, 'embedded', receiver.ready);
    const bellhop = await start();
    const lists = (await readings(bellhop, midoffices)).filter(
      ({ path, cookie }) => cookie && path.endsWith('?type=cancelled'),
    );
    const side = (name: string, reads: boolean): Side => ({
      name,
      async measure() {
        const untilMs = performance.now() + SECONDS * 1_000;
        const goesOn = () => performance.now() < untilMs;
        let n = 0;
        const readNext = () => read(bellhop, lists[n++ % lists.length] as (typeof lists)[number]);
        const [delays] = await Promise.all([
          postDelaysMs(bellhop, midoffices, goesOn),
          reads ? repeated(goesOn, readNext) : [],
        ]);
        const p99 = delays.toSorted((a, b) => a - b)[Math.floor(delays.length * 0.99)] as number;
        return { figure: median(delays), details: { p99, events: delays.length, lists: n } };
      },
    });
    session.progress('warming up');
    await side('warm-up', true).measure();
    return [
      await sideBySide(
        session,
        {
          title:
            'delay of an accepted event while a person reads lists of 1,000,000 deliveries ÷ nobody',
          unit: 'ms',
          bar: { atMost: 2 },
        },
        side('a person reads', true),
        side('nobody', false),
      ),
    ];
  },
};
