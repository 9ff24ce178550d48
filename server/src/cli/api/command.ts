/**
 * `bellhop api METHOD PATH [field=value …]`: any operation of the back office, so that a new one needs no command. What is
 * wrong is said before anything is sent.
 */

import { text } from 'node:stream/consumers';
import { either } from '@bellhop/partner/command-line';
import type { InputOf, OperationId } from '@bellhop/support-client/client';
import { Command, Option } from '@commander-js/extra-typings';
import { type EnvironmentName, environmentNames } from '../../base/config/settings.ts';
import { type BackOffice, openBackOffice, Refused } from '../back-office.ts';
import { UsageError } from '../failures.ts';
import { examples } from '../help-style.ts';
import { backOfficeOption, environmentOption, jsonOption, tokenOption } from '../options.ts';
import { unknownRecord, writeDownload } from '../support/command.ts';
import { jsonText, paint, printable } from '../terminal.ts';
import { operationHelp, operationList } from './describe.ts';
import { checkBody, checkQuery, type Input, nameOf, readFields } from './fields.ts';
import {
  findPath,
  JSON_TYPE,
  METHODS,
  type Operation,
  ofMethod,
  readOperations,
} from './operations.ts';
import { replyText } from './reply.ts';

/** A check of a receiver sends it 40 requests, one after another. */
const LONGEST_CALL_MS = 600_000;
const FROM_STDIN = '-';

const EXAMPLES = examples(
  'bellhop api midoffices',
  'bellhop api --help PUT keys/1234/endpoints',
  'bellhop api GET partners limit=5',
  'bellhop api PATCH keys/1234 disabled=true',
  'bellhop api POST partners/par_0198c0de/certification reference=CERT-2026-014',
  'bellhop api GET calls since=-24h --csv > calls.csv',
  'bellhop api POST midoffices - < midoffice.json',
);

export const apiCommand = new Command()
  .usage('[method] [path] [field=value …] [options]')
  .description(
    `Calls any operation of the back office. Without a method it lists them, and a word narrows the list; "bellhop api --help <path>" describes the fields of a path. A field is a part of the query or of the body, as the operation has it, and its value is a text, a number, a time or a list as the field needs it:
  limit=5                        a value
  filter.state=exhausted         a field in a field
  scopes=read,redeliver          a list
  since=-6h expires_at=+90d      a time, from now
  since=yesterday until=10:00    a local time
  label=null                     nothing, where a field may be empty
  headers:='{"X-Site": "7"}'     JSON
  -                              the whole body, from the standard input`,
  )
  .argument('[method]', `${either(METHODS)}, or a word to look for`)
  .argument('[path]', 'the path, such as keys/1234; percent-encode what is special in an id')
  .argument('[fields...]', 'its fields, or - to read the body from the standard input')
  .addOption(environmentOption('the environment', 'production'))
  .addOption(backOfficeOption)
  .addOption(tokenOption)
  .addOption(jsonOption('print the reply of the back office as JSON'))
  .addOption(new Option('--csv', 'write the whole list as CSV').conflicts('json'))
  .addHelpText('after', () => (helpOfPath() === '' ? EXAMPLES : ''))
  .action(async (given, path, words, { environment, json, csv, ...options }, command) => {
    if (given === undefined || path === undefined) return listOperations(given, json);
    const isChosen = command.getOptionValueSource('environment') === 'cli';
    const request = prepare(given, path, words, isChosen ? environment : undefined);
    if (csv) askForCsv(request);
    const backOffice = openBackOffice(options, LONGEST_CALL_MS);
    const { operation } = request;
    try {
      if (!operation.repliesJson || request.input.query.format === 'csv') {
        return await writeDownload(
          await backOffice.download(operation.id, request.input as AnyInput),
        );
      }
      const reply = await exchange(backOffice, request);
      console.log(json ? jsonText(reply ?? null, 2) : replyText(reply));
      if (!json) mentionNextPage(reply, operation);
    } catch (error) {
      throw asUsage(unknownRecord(error, request.input.environment));
    }
  });

/** The operation is known only when the words are read. */
type AnyInput = InputOf<OperationId>;

interface Request {
  operation: Operation;
  /** The parameters of the path by name, with `query` and `body` beside them. */
  input: Input & { environment: EnvironmentName };
  isFromStdin: boolean;
}

function prepare(
  given: string,
  path: string,
  words: readonly string[],
  chosen: EnvironmentName | undefined,
): Request {
  const method = given.toUpperCase();
  if (!METHODS.includes(method)) {
    throw new UsageError(
      `The word after "bellhop api" must be ${either(METHODS)}, not ${JSON.stringify(given)}.`,
    );
  }
  const [place = '', ...search] = path.split('?');
  const found = findPath(readOperations(), place);
  const operation = ofMethod(found, method);
  const environment = environmentOf(found.params, chosen);
  const asked = [...new URLSearchParams(search.join('?'))].map((one) => one.join('='));
  const isFromStdin = words.includes(FROM_STDIN);
  const fields = words.filter((word) => word !== FROM_STDIN);
  const read = readFields(operation, [...asked, ...fields]);
  if (isFromStdin && !operation.body) {
    throw new UsageError(`${nameOf(operation)} takes no body, so leave out the "-".`);
  }
  if (isFromStdin && read.body) {
    const [name] = Object.keys(read.body);
    throw new UsageError(`${name} belongs to the body, which comes from the standard input.`);
  }
  if (!isFromStdin) checkBody(operation, read);
  checkQuery(operation, read);
  return { operation, input: { ...found.params, environment, ...read }, isFromStdin };
}

/** A whole path names it, and must not contradict the option. */
function environmentOf(
  params: Record<string, string>,
  chosen: EnvironmentName | undefined,
): EnvironmentName {
  const copied = Object.entries(params).find(([name, value]) => value === `{${name}}`);
  if (copied) throw new UsageError(`Put the real value in place of ${copied[1]}.`);
  const named = params.environment;
  if (named === undefined) return chosen ?? 'production';
  const environment = environmentNames.find((name) => name === named);
  if (!environment) {
    throw new UsageError(
      `The environment must be ${either(environmentNames)}, not ${JSON.stringify(named)}.`,
    );
  }
  if (chosen === undefined || chosen === environment) return environment;
  throw new UsageError(`The path says ${environment}, but --environment says ${chosen}.`);
}

function askForCsv({ operation, input }: Request): void {
  if (!operation.query.format) {
    throw new UsageError(`${nameOf(operation)} is not a list, so --csv cannot write it.`);
  }
  input.query.format = 'csv';
}

async function exchange(
  backOffice: BackOffice,
  { operation: { id, body }, input, isFromStdin }: Request,
): Promise<unknown> {
  if (!isFromStdin || !body) return backOffice.call(id, input as AnyInput);
  if (body.type !== JSON_TYPE) {
    return backOffice.send(id, input as AnyInput, { type: body.type, body: process.stdin });
  }
  return backOffice.call(id, { ...input, body: await jsonFromStdin() } as AnyInput);
}

async function jsonFromStdin(): Promise<unknown> {
  const given = await text(process.stdin);
  try {
    return JSON.parse(given);
  } catch (error) {
    throw new UsageError(`The standard input is not JSON: ${(error as Error).message}.`);
  }
}

function mentionNextPage(reply: unknown, operation: Operation): void {
  const cursor = (reply as { next_cursor?: unknown } | null)?.next_cursor;
  if (typeof cursor !== 'string') return;
  const all = operation.query.format ? ' --csv writes all of them.' : '';
  const sentence = `There are more: add cursor=${printable(cursor)} for the next page.${all}`;
  console.error(paint('dim', sentence));
}

/** What the back office refuses because of the path or a field is bad usage. */
function asUsage(error: unknown): unknown {
  const isUsage = error instanceof Refused && [404, 422].includes(error.problem.status ?? 0);
  return isUsage ? new UsageError(printable(error.message)) : error;
}

/** `bellhop api --help keys/1234` describes that path, and `bellhop api --help PATCH keys/1234` one of its operations. */
function helpOfPath(): string {
  const words = apiCommand.args.filter((word) => !word.startsWith('-'));
  const method = METHODS.find((one) => one === words[0]?.toUpperCase());
  const path = words[method ? 1 : 0]?.split('?')[0];
  if (path === undefined) return '';
  const found = findPath(readOperations(), path);
  const shown = method ? [ofMethod(found, method)] : found.operations;
  return `${shown.map((one) => operationHelp(one)).join('\n\n')}\n`;
}

const { helpInformation } = apiCommand;
apiCommand.helpInformation = (context) => helpOfPath() || helpInformation.call(apiCommand, context);

function listOperations(word: string | undefined, json: true | undefined): void {
  const operations = readOperations();
  const { all } = operations;
  const isMethod = METHODS.includes(word?.toUpperCase() ?? '');
  const shown = all.filter(({ method, path, tag }) =>
    isMethod ? method === word?.toUpperCase() : [path, tag].some((one) => one.includes(word ?? '')),
  );
  if (shown.length === 0) {
    throw new UsageError(
      `No operation has ${JSON.stringify(word)} in its path. "bellhop api" lists all of them.`,
    );
  }
  const brief = shown.map(({ method, path, summary }) => ({ method, path, summary }));
  console.log(json ? jsonText(brief, 2) : operationList(operations, shown));
}
