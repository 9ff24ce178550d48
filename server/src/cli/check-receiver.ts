import { open } from 'node:fs/promises';
import { Command, Option } from '@commander-js/extra-typings';
import { EVERYWHERE } from '../addresses/addresses.ts';
import { checkReceiverUrl } from '../receiver/url.ts';
import { checkedForms, linesDocument, linesFor } from '../receiver-check/lines.ts';
import type { Report, ReportLine } from '../receiver-check/report.ts';
import { reportInJunit } from '../receiver-check/report-junit.ts';
import { reportWriter } from '../receiver-check/report-text.ts';
import { UsageError } from './failures.ts';
import { examples } from './help-style.ts';
import { apiKeyOption, jsonOption, positiveTime, repeated } from './options.ts';
import { paint, printable, progress, table } from './terminal.ts';

export const checkReceiverCommand = new Command()
  .usage('<url> --api-key <key> [options]')
  .description(
    'Plays the service against a receiver: genuine webhooks in every form, forged, stale and repeated ones, and broken requests, about 40 in all, one at a time. Prints what the receiver did, what it should have done, why, and how to fix it. The orders in the webhooks do not exist. Exits with 1 if a line of the report failed or could not be judged.',
  )
  .argument('[url]', 'the receiver, such as https://example.com/hook')
  .addOption(apiKeyOption('the API key that the receiver verifies with'))
  .addOption(
    new Option('--form <form>', 'the forms of the body that it must read')
      .choices(checkedForms)
      .default('both'),
  )
  .addOption(
    new Option('--timeout <time>', 'the limit for each whole reply, such as 500ms or 10s')
      .argParser(positiveTime('--timeout'))
      .default(10_000, '10s, as in the service'),
  )
  .addOption(
    new Option('--only <line>', 'judge only this line of the report; can be repeated').argParser(
      repeated,
    ),
  )
  .option('--list', 'list the lines of the report without sending anything')
  .addOption(new Option('--markdown', 'print the list as the documentation has it').hideHelp())
  .addOption(jsonOption('print the report, or the list, as JSON'))
  .option('--junit <file>', 'also write the report as JUnit XML; "-" prints it instead')
  .addHelpText(
    'after',
    examples(
      'bellhop check-receiver https://example.com/hook --api-key 022a2cf1-d279-02f3-9c3c-596aa09b827b',
      'bellhop check-receiver http://127.0.0.1:3000/hook --form data --junit report.xml',
      'bellhop check-receiver http://127.0.0.1:3000/hook --only repeated-token --only redelivery',
    ),
  )
  .action(async (url, options) => {
    const { form, only, json, junit } = options;
    const known = linesFor(form).map(({ name }) => name);
    for (const name of only ?? []) {
      if (known.includes(name)) continue;
      throw new UsageError(
        `There is no line ${JSON.stringify(name)} with --form ${form}. "bellhop check-receiver --list" shows them.`,
      );
    }
    if (options.list) {
      const lines = linesFor(form).filter(({ name }) => only?.includes(name) ?? true);
      if (options.markdown) process.stdout.write(linesDocument(lines));
      else if (json) console.log(JSON.stringify(lines.map(textsOnly), null, 2));
      else console.log(lineTable(lines));
      return;
    }
    if (options.markdown) throw new UsageError('--markdown only works with --list.');
    if (json && junit === '-') {
      throw new UsageError('--json and --junit - cannot both be printed. Pass a file to --junit.');
    }
    if (!url) {
      throw new UsageError('Which receiver? Pass its URL, such as https://example.com/hook.');
    }
    if (!options.apiKey) {
      throw new UsageError(
        'Pass the API key that the receiver verifies with: --api-key, or BELLHOP_API_KEY.',
      );
    }
    const check = {
      url: await readReceiverUrl(url),
      keys: [options.apiKey],
      timeoutMs: options.timeout,
      allow: EVERYWHERE,
      form,
      only,
    };
    const saveJunit = await openJunit(junit);
    const forPeople = !json && junit !== '-';
    const shown = showing(check.url, only?.length ?? known.length, forPeople);
    // Loaded only now: its HTTP client takes time to load, and the list and the help do not need it.
    const { checkReceiver } = await import('../receiver-check/run.ts');
    const report = await checkReceiver({ ...check, ...shown });
    shown.end(report);
    if (json) console.log(JSON.stringify(report, null, 2));
    await saveJunit(report);
    if (report.verdict !== 'passed') process.exitCode = 1;
  });

/** Prints each line once it is judged. On a terminal it also shows which one is being checked. */
function showing(url: string, count: number, forPeople: boolean) {
  const running = progress();
  const text = reportWriter(paint, process.stdout.columns);
  let judged = 0;
  if (forPeople) console.log(`Certifying ${printable(url)}`);
  return {
    onStart: (name: string) => running.show(`${judged} of ${count} done; running ${name} …`),
    onLine(line: ReportLine) {
      judged++;
      running.clear();
      if (forPeople) process.stdout.write(text.line({ ...line, got: printable(line.got) }));
    },
    end(report: Report) {
      running.clear();
      if (forPeople) process.stdout.write(text.end(report));
    },
  };
}

/** Opens the file before anything is sent: at the end it would be too late to notice a problem. */
async function openJunit(to: string | undefined): Promise<(report: Report) => Promise<void>> {
  if (to === undefined) return async () => {};
  if (to === '-') return async (report) => void process.stdout.write(reportInJunit(report));
  const file = await open(to, 'w').catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(
      `--junit cannot write ${JSON.stringify(to)} (${error.code}). Choose another file.`,
    );
  });
  return async (report) => {
    await file.writeFile(reportInJunit(report));
    await file.close();
  };
}

async function readReceiverUrl(text: string): Promise<string> {
  // A name that does not resolve is a finding of the check, not bad usage.
  const checked = await checkReceiverUrl(text, {
    allow: EVERYWHERE,
    resolve: async () => ['127.0.0.1'],
  });
  if (!checked.ok) throw new UsageError(checked.problem.message);
  return checked.url;
}

type Texts = ReturnType<typeof linesFor>[number];

function textsOnly({ name, group, title, sent, expected, why, fix }: Texts) {
  return { name, group, title, sent, expected, why, fix };
}

function lineTable(lines: Texts[]): string {
  return table(
    ['line', 'the receiver …'],
    lines.map(({ name, title }) => [name, title]),
  );
}
