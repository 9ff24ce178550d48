/** `npm run torture -- --help` */
import { BadUsage, readOptions, USAGE } from './options.ts';
import { cutPower } from './power-cut/power-cut.ts';
import { writePowerCutReport } from './power-cut/report.ts';
import { createProgress, writeReport } from './report.ts';
import { torture } from './torture.ts';

const LEFTOVERS_MS = 10_000;

// Ends the nodes with this process, by their 'exit' listeners. The database's keeper notices by itself.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(signal, () => process.exit(1));
}

try {
  const options = readOptions(process.argv.slice(2));
  if (options === 'help') {
    console.log(USAGE);
  } else if (options.powerCuts !== undefined) {
    const { powerCuts: images, secondsPerRound: seconds, seed } = options;
    const wanted = { images, seconds, seed };
    const result = await cutPower(wanted, (stage) => console.log(stage));
    console.log(writePowerCutReport(wanted, result));
    process.exitCode = result.broken.length > 0 ? 1 : 0;
  } else {
    const result = await torture(options, createProgress(process.stdout));
    console.log(writeReport(options, result));
    process.exitCode = result.ledger.violations.length > 0 ? 1 : 0;
  }
} catch (error) {
  if (!(error instanceof BadUsage)) throw error;
  console.error(`${error.message}\n\n${USAGE}`);
  process.exitCode = 2;
}

// Nothing should be open any more. On a busy machine something sometimes was, and a script would wait for ever.
setTimeout(() => {
  console.error(`Ended although still open: ${process.getActiveResourcesInfo().join(', ')}`);
  process.exit();
}, LEFTOVERS_MS).unref();
