import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { createNodeHandler, memoryTokenStore } from '@bellhop/partner';
import { linesFor } from '@bellhop/partner/receiver-check';
import { describe, expect, test } from 'vitest';
import { listening, temporaryFolder } from '../../test/support.ts';
import { API_KEY, startPartnerReceiver } from './broken-receivers.ts';
import { bellhop, check } from './check-receiver-command.ts';

const ALL = linesFor('both').map(({ name }) => name);
/** Nothing listens here; it is never called. */
const NOBODY = 'http://127.0.0.1:9/hook';

async function startReceiverOfPackage(): Promise<string> {
  const options = { apiKey: API_KEY, tokenStore: memoryTokenStore(), onEvent() {} };
  return `${(await listening(createServer(createNodeHandler(options)))).url}/hook`;
}

test('requires only the body forms that were asked for', async () => {
  const url = await startPartnerReceiver('knows the data form only');
  const data = await check(url, '--form', 'data');
  expect(data).toMatchObject({ code: 0, form: 'data' });
  expect(data.lines.map(({ name }) => name)).not.toContain('flat-form');
  const flat = await check(url, '--form', 'flat', '--only', 'flat-form');
  expect(flat).toMatchObject({ code: 1, failed: 1 });
});

describe('the report', () => {
  test('for people has rows, explains failures, ends with the verdict, and has no colours when piped', async () => {
    const good = await bellhop([await startReceiverOfPackage()]);
    expect(good).toMatchObject({ code: 0, stderr: '' });
    expect(good.stdout).toMatch(/^Checking http/);
    expect(good.stdout).toMatch(/^ {2}✓ repeated-token +refuses a repeated token: 401 after/m);
    expect(good.stdout).toMatch(
      new RegExp(`\nPassed: all ${ALL.length} lines passed, in [\\d.]+ s\\.\n$`),
    );
    const bad = await bellhop([await startPartnerReceiver('ignores repeated tokens')]);
    expect(bad).toMatchObject({ code: 1, stderr: '' });
    expect(bad.stdout).toMatch(/✗ repeated-token .*\n {6}sent .*\n {6}expected .*\n {6}got +200 /);
    expect(bad.stdout).toMatch(/\n {6}why (.|\n)*\n {6}fix /);
    expect(bad.stdout).toMatch(/\nNot passed: 1 of \d+ lines failed, 0 skipped, \d+ passed/);
    const warned = await bellhop([await startPartnerReceiver()]);
    expect(warned).toMatchObject({ code: 0, stderr: '' });
    expect(warned.stdout).toMatch(/^ {2}! changed-payload .*: warned\n {6}sent /m);
    expect(warned.stdout).toMatch(
      new RegExp(
        `\nPassed with a warning: ${ALL.length - 1} of ${ALL.length} lines passed, 1 warned, in [\\d.]+ s\\.\n$`,
      ),
    );
    expect(good.stdout + bad.stdout + warned.stdout).not.toContain('\u001b');
  });

  test('has colours if they are forced, as on a terminal', async () => {
    const url = await startPartnerReceiver();
    const { stdout } = await bellhop([url, '--only', 'answers'], { FORCE_COLOR: '1' });
    expect(stdout).toContain('\u001b[32m');
    expect(stdout).toMatch(
      /Passed.*: all 1 lines asked for passed, .* To check the whole receiver, run the others too\./,
    );
  });

  test('as JUnit goes to a file besides the text, or alone to stdout', async () => {
    const url = await startPartnerReceiver('answers 204');
    const file = join(await temporaryFolder(), 'report.xml');
    const beside = await bellhop([url, '--junit', file]);
    expect(beside.code).toBe(1);
    expect(beside.stdout).toContain('Not passed');
    const xml = await readFile(file, 'utf8');
    expect(xml).toMatch(/^<\?xml .*\n<testsuites name="check-receiver http.*" failures="1"/);
    expect(xml.match(/<testcase /g)).toHaveLength(ALL.length);
    expect(xml).toMatch(/name="status-200">\n {6}<failure message="\d+ of \d+: 204\.">/);
    const alone = await bellhop([url, '--junit', '-']);
    expect(alone.stdout).toMatch(/^<\?xml (.|\n)*<\/testsuites>\n$/);
  });
});

test('--list names the lines and sends nothing', async () => {
  const { code, stdout } = await bellhop(['--list'], { BELLHOP_API_KEY: '' });
  expect(code).toBe(0);
  for (const name of ALL) expect(stdout).toContain(`\n${name} `);
  const json = await bellhop(['--list', '--json', '--only', 'answers']);
  expect(JSON.parse(json.stdout)).toMatchObject([{ name: 'answers', group: 'accepts' }]);
});

describe('exits with 2 and one sentence for bad usage:', () => {
  test.each<[string[], RegExp]>([
    [[], /^Which receiver\?/],
    [['not a url'], /^This is not a URL/],
    [['ftp://127.0.0.1/'], /^ftp: can't be called/],
    [['localhost:9000'], /^The URL has no scheme\. Write https:\/\/localhost:9000 /],
    [['example.com/hook'], /^The URL has no scheme\. Write https:\/\/example\.com\/hook /],
    [['http://user:pw@127.0.0.1/'], /user name or password/],
    [
      [NOBODY, '--api-key='],
      /^Pass the API key that the receiver verifies with: --api-key, or BELLHOP_API_KEY/,
    ],
    [[NOBODY, '--timeout', 'soon'], /^--timeout must be a time such as/],
    [[NOBODY, '--timeout', '0s'], /^--timeout must be longer than 0/],
    [[NOBODY, '--form', 'xml'], /^--form must be data, flat or both/],
    [[NOBODY, '--only', 'everything'], /^There is no line "everything"/],
    [[NOBODY, '--json', '--junit', '-'], /^--json and --junit - cannot both be printed/],
    [[NOBODY, '--junit', '/nonesuch/report.xml'], /^--junit cannot write/],
    [[NOBODY, '--markdown'], /^--markdown only works with --list/],
    [[NOBODY, '--fast'], /^"bellhop check-receiver" has no "--fast"\. /],
    [[NOBODY, 'more'], /^"bellhop check-receiver" has no "more"\. /],
  ])('%j', async (args, sentence) => {
    const { code, stdout, stderr } = await bellhop(args, {
      BELLHOP_API_KEY: args.includes('--api-key=') ? '' : API_KEY,
    });
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(sentence);
    expect(stderr).toMatch(/^.*\.\n$/);
  });
});
