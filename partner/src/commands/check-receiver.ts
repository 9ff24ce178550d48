/** `check-receiver`, of this package and of `bellhop`. */
import { open } from 'node:fs/promises';
import { printable } from '../printable.ts';
import type { Post } from '../receiver-check/exchange.ts';
import { type CheckedForm, checkedForms } from '../receiver-check/forms.ts';
import type { LineTexts } from '../receiver-check/line.ts';
import type { Report, ReportLine } from '../receiver-check/report.ts';
import { apiKeyOption, type DeclaredCommand, positiveTime, repeated } from './declared.ts';
import { UsageError } from './failures.ts';
import { jsonText, paint, progress, table } from './terminal.ts';

export const checkReceiverCommand = {
  name: 'check-receiver',
  summary: "check a partner's webhook receiver",
  usage: ['<url> --api-key <key> [options]'],
  description:
    'Plays the service against a receiver: genuine webhooks in every form, forged, stale and repeated ones, and broken requests, about 40 in all, one at a time. Prints what the receiver did, what it should have done, why, and how to fix it. The orders in the webhooks do not exist. Exits with 1 if a line of the report failed or could not be judged.',
  argument: { name: 'url', description: 'the receiver, such as https://example.com/hook' },
  options: {
    apiKey: apiKeyOption('the API key that the receiver verifies with'),
    form: {
      flags: '--form <form>',
      description: 'the forms of the body that it must read',
      choices: checkedForms,
      default: 'both',
    },
    timeout: {
      flags: '--timeout <time>',
      description: 'the limit for each whole reply, such as 500ms or 10s',
      read: positiveTime('--timeout'),
      default: 10_000,
      shownDefault: '10s, as in the service',
    },
    only: {
      flags: '--only <line>',
      description: 'judge only this line of the report; can be repeated',
      read: repeated,
    },
    list: {
      flags: '--list',
      description: 'list the lines of the report without sending anything',
    },
    markdown: {
      flags: '--markdown',
      description: 'print the list as the documentation has it',
      isHidden: true,
    },
    json: { flags: '--json', description: 'print the report, or the list, as JSON' },
    junit: {
      flags: '--junit <file>',
      description: 'also write the report as JUnit XML; "-" prints it instead',
    },
  },
  examples: [
    'check-receiver https://example.com/hook --api-key 022a2cf1-d279-02f3-9c3c-596aa09b827b',
    'check-receiver http://127.0.0.1:3000/hook --form data --junit report.xml',
    'check-receiver http://127.0.0.1:3000/hook --only repeated-token --only redelivery',
  ],
} as const satisfies DeclaredCommand;

export interface CheckReceiverOptions {
  apiKey?: string;
  form: CheckedForm;
  timeout: number;
  only?: string[];
  list?: boolean;
  markdown?: boolean;
  json?: boolean;
  junit?: string;
}

interface Surroundings {
  /** As people call it. */
  program: string;
  /** Loaded only when something is sent. */
  loadPost(): Promise<Post>;
}

/** Sets `process.exitCode`. */
export async function runCheckReceiver(
  url: string | undefined,
  options: CheckReceiverOptions,
  { program, loadPost }: Surroundings,
): Promise<void> {
  const { form, only, json, junit } = options;
  // Loaded only now: the help does not need the cases.
  const check = await import('../receiver-check/index.ts');
  const lines = check.linesFor(form);
  for (const name of only ?? []) {
    if (lines.some((line) => line.name === name)) continue;
    throw new UsageError(
      `There is no line ${JSON.stringify(name)} with --form ${form}. "${program} check-receiver --list" shows them.`,
    );
  }
  const wanted = lines.filter(({ name }) => only?.includes(name) ?? true);
  if (options.list) {
    if (options.markdown) process.stdout.write(check.linesDocument(wanted));
    else if (json) console.log(JSON.stringify(wanted.map(textsOnly), null, 2));
    else console.log(lineTable(wanted));
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
  const read = check.readReceiverUrl(url);
  if (!read.ok) throw new UsageError(read.problem.message);
  const saveJunit = await openJunit(junit, check.reportInJunit);
  const forPeople = !json && junit !== '-';
  const writer = check.reportWriter(paint, process.stdout.columns);
  const shown = showing(read.url.href, wanted.length, forPeople, writer);
  const report = await check.checkReceiver({
    url: read.url.href,
    keys: [options.apiKey],
    timeoutMs: options.timeout,
    form,
    only,
    post: await loadPost(),
    ...shown,
  });
  shown.end(report);
  if (json) console.log(jsonText(report, 2));
  await saveJunit(report);
  if (report.verdict !== 'passed') process.exitCode = 1;
}

interface Writer {
  line(line: ReportLine): string;
  end(report: Report): string;
}

/** Prints each line once it is judged. On a terminal it also shows which one is being checked. */
function showing(url: string, count: number, forPeople: boolean, text: Writer) {
  const running = progress();
  let judged = 0;
  if (forPeople) console.log(`Checking ${printable(url)}`);
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
async function openJunit(
  to: string | undefined,
  inXml: (report: Report) => string,
): Promise<(report: Report) => Promise<void>> {
  if (to === undefined) return async () => {};
  if (to === '-') return async (report) => void process.stdout.write(inXml(report));
  const file = await open(to, 'w').catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(
      `--junit cannot write ${JSON.stringify(to)} (${error.code}). Choose another file.`,
    );
  });
  return async (report) => {
    await file.writeFile(inXml(report));
    await file.close();
  };
}

function textsOnly({ name, group, title, sent, expected, why, fix }: LineTexts) {
  return { name, group, title, sent, expected, why, fix };
}

function lineTable(lines: LineTexts[]): string {
  return table(
    ['line', 'the receiver …'],
    lines.map(({ name, title }) => [name, title]),
  );
}
