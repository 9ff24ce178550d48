import { expect, test } from 'vitest';
import { linesFor } from './lines.ts';
import { reportLine, reportOf } from './report.ts';
import { reportInJunit } from './report-junit.ts';

const about = {
  url: 'http://127.0.0.1/?a="1"&b=<2>',
  form: 'both',
  started_at: '2026-01-31T12:00:00.000Z',
  duration_ms: 1_500,
  cause: null,
} as const;
const [answers, dataForm, flatForm] = linesFor('both');

test('what a receiver replied cannot break the XML', () => {
  if (!answers || !dataForm || !flatForm) throw new Error('there are no lines');
  const xml = reportInJunit(
    reportOf(about, [
      reportLine(answers, 'passed', '200.'),
      reportLine(dataForm, 'failed', '500 </failure>]]>&\u0000\u001b\ud800"'),
      reportLine(flatForm, 'skipped', 'Out of <time>.'),
      reportLine(flatForm, 'warned', '200 & more.'),
    ]),
  );
  expect(xml).toContain('name="check-receiver http://127.0.0.1/?a=&quot;1&quot;&amp;b=&lt;2&gt;"');
  expect(xml).toContain('tests="4" failures="1" skipped="1" errors="0" time="1.5"');
  expect(xml).toContain('message="500 &lt;/failure&gt;]]&gt;&amp;\ufffd\ufffd\ufffd&quot;"');
  expect(xml).toContain('>checked: the receiver reads the fields under &quot;data&quot;\nsent: ');
  expect(xml).toContain('<system-out>warning: 200 &amp; more.\nwhy: ');
  expect(xml).toContain('<skipped message="Out of &lt;time&gt;."/>');
});

test('a report passes only if every line passed or warned', () => {
  if (!answers || !dataForm) throw new Error('there are no lines');
  const passed = reportLine(answers, 'passed', '');
  expect(reportOf(about, [passed]).verdict).toBe('passed');
  const warned = reportLine(dataForm, 'warned', '');
  expect(reportOf(about, [passed, warned])).toMatchObject({ verdict: 'passed', warned: 1 });
  const failed = reportLine(dataForm, 'failed', '');
  expect(reportOf(about, [failed, warned]).verdict).toBe('failed');
  expect(reportOf(about, [passed, reportLine(dataForm, 'skipped', '')]).verdict).toBe('failed');
  expect(reportOf(about, []).verdict).toBe('failed');
});
