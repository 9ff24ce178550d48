import { open } from 'node:fs/promises';
import { EVERYWHERE } from '../addresses/addresses.ts';
import { BadValue, positiveDuration } from '../config/values.ts';
import { checkReceiverUrl } from '../receiver/url.ts';
import type { Group } from '../receiver-check/line.ts';
import { checkedForms, linesFor } from '../receiver-check/lines.ts';
import { linesDocument } from '../receiver-check/lines-document.ts';
import type { Report, ReportLine } from '../receiver-check/report.ts';
import { reportInJunit } from '../receiver-check/report-junit.ts';
import { groupHeading, lineInText, verdictInText } from '../receiver-check/report-text.ts';
import type { Command } from './main.ts';
import { paint, printable, progress, table } from './terminal.ts';
import { readChoice, readOptions, UsageError } from './usage.ts';

export const checkReceiverCommand: Command = {
  summary: "certify a partner's webhook receiver",
  help: `Usage: bellhop check-receiver URL --api-key KEY [options]

Plays the service against a receiver: genuine webhooks in every form, forged, stale and repeated
ones, and broken requests, some 40 in all, one at a time. Prints what the receiver did, what it
should have done, why, and how to mend it. The orders it tells of do not exist.

Options:
  --api-key KEY       the key that the receiver verifies with; also BELLHOP_API_KEY, which other
                      users of the machine cannot see
  --form FORM         which forms of the body it has to read: data, flat or both; default: both
  --timeout TIME      for each whole reply, such as 500ms or 10s; default: 10s, as the service has it
  --only NAME         judge this line only; may be given several times
  --list              list the lines, and send nothing; with --markdown, as the documentation has them
  --json              print the report as JSON
  --junit FILE        write the report as JUnit XML too; - prints it instead

Exit 0: every line passed. 1: one failed, or could not be judged. 2: bad usage.

Examples:
  bellhop check-receiver https://example.com/hook --api-key 022a2cf1-d279-02f3-9c3c-596aa09b827b
  bellhop check-receiver http://127.0.0.1:3000/hook --form data --junit report.xml
  bellhop check-receiver http://127.0.0.1:3000/hook --only repeated-token --only redelivery`,
  async run(args) {
    const { values, positionals } = readOptions(
      'check-receiver',
      args,
      {
        'api-key': { type: 'string' },
        form: { type: 'string' },
        timeout: { type: 'string' },
        only: { type: 'string', multiple: true },
        list: { type: 'boolean' },
        markdown: { type: 'boolean' },
        json: { type: 'boolean' },
        junit: { type: 'string' },
      },
      1,
    );
    const form = readChoice('--form', values.form ?? 'both', checkedForms);
    const known = linesFor(form).map(({ name }) => name);
    for (const name of values.only ?? []) {
      if (known.includes(name)) continue;
      throw new UsageError(
        `There is no line ${JSON.stringify(name)} with --form ${form}; "bellhop check-receiver --list" shows them.`,
      );
    }
    if (values.list) {
      const lines = linesFor(form).filter(({ name }) => values.only?.includes(name) ?? true);
      if (values.markdown) process.stdout.write(linesDocument(lines));
      else if (values.json) console.log(JSON.stringify(lines.map(textsOnly), null, 2));
      else console.log(lineTable(lines));
      return 0;
    }
    if (values.markdown) throw new UsageError('--markdown goes with --list.');
    if (values.json && values.junit === '-') {
      throw new UsageError('Only one of --json and --junit - can be printed; give --junit a file.');
    }
    const options = {
      url: await readReceiverUrl(positionals[0]),
      keys: [readApiKey(values['api-key'])],
      timeoutMs: readTimeout(values.timeout ?? '10s'),
      // A person may call whatever this machine can; the service is stricter.
      allow: EVERYWHERE,
      form,
      only: values.only,
    };
    const saveJunit = await openJunit(values.junit);
    const forPeople = !values.json && values.junit !== '-';
    const shown = showing(options.url, values.only?.length ?? known.length, forPeople);
    // Loaded only now: its HTTP client takes time that the help and other commands can do without.
    const { checkReceiver } = await import('../receiver-check/run.ts');
    const report = await checkReceiver({ ...options, ...shown });
    shown.end(report);
    if (values.json) console.log(JSON.stringify(report, null, 2));
    await saveJunit(report);
    return report.verdict === 'passed' ? 0 : 1;
  },
};

/** Lines as they are judged, and on a terminal which one is under way. */
function showing(url: string, count: number, forPeople: boolean) {
  const underWay = progress();
  let group: Group | undefined;
  let judged = 0;
  if (forPeople) console.log(`Certifying ${printable(url)}`);
  return {
    onStart: (name: string) => underWay.show(`${judged} of ${count} judged; now ${name} …`),
    onLine(line: ReportLine) {
      judged++;
      underWay.clear();
      if (!forPeople) return;
      if (line.group !== group) console.log(groupHeading(line.group, paint));
      group = line.group;
      console.log(lineInText({ ...line, got: printable(line.got) }, paint));
    },
    end(report: Report) {
      underWay.clear();
      if (forPeople) console.log(verdictInText(report, paint));
    },
  };
}

/** Opened before anything is sent: a report that can't be kept is noticed too late at the end. */
async function openJunit(to: string | undefined): Promise<(report: Report) => Promise<void>> {
  if (to === undefined) return async () => {};
  if (to === '-') return async (report) => void process.stdout.write(reportInJunit(report));
  const file = await open(to, 'w').catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(`--junit can't write ${JSON.stringify(to)} (${error.code}).`);
  });
  return async (report) => {
    await file.writeFile(reportInJunit(report));
    await file.close();
  };
}

async function readReceiverUrl(text: string | undefined): Promise<string> {
  if (!text) {
    throw new UsageError('Which receiver? Give its URL, such as https://example.com/hook.');
  }
  // Whether the name leads anywhere is a finding of the check, not bad usage.
  const checked = await checkReceiverUrl(text, {
    allow: EVERYWHERE,
    resolve: async () => ['127.0.0.1'],
  });
  if (!checked.ok) throw new UsageError(checked.problem.message);
  return checked.url;
}

function readApiKey(given: string | undefined): string {
  const apiKey = given || process.env.BELLHOP_API_KEY?.trim();
  if (apiKey) return apiKey;
  throw new UsageError(
    'The key that the receiver verifies with is missing. Give --api-key, or set BELLHOP_API_KEY.',
  );
}

function readTimeout(text: string): number {
  try {
    return positiveDuration(text);
  } catch (error) {
    if (!(error instanceof BadValue)) throw error;
    throw new UsageError(`--timeout ${error.message}.`);
  }
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
