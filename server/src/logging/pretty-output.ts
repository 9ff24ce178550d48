/** Writes the log in the form that BELLHOP_LOG_FORMAT asks for. */
import { isatty } from 'node:tty';
import { type LogOutput, stderrOutput } from './output.ts';
import { type Paint, paintForStderr, prettyLine } from './pretty-line.ts';

const STDERR = 2;
const NOTHING = new Uint8Array();

export type LogFormat = 'auto' | 'pretty' | 'json';

/** For the main thread, which also writes the lines of the others. */
export function outputIn(format: LogFormat): LogOutput {
  const isPretty = format === 'pretty' || (format === 'auto' && isatty(STDERR));
  return isPretty ? prettyOutput(stderrOutput()) : stderrOutput();
}

/** Takes whole JSON lines. Reports them as written only when all of them are: a part has no counterpart in the JSON. */
export function prettyOutput(output: LogOutput, paint: Paint = paintForStderr): LogOutput {
  let unwritten: Uint8Array = NOTHING;

  function writeRest(done: (error: Error | null, isWritten: boolean) => void): void {
    output.write(unwritten, (error, written = 0) => {
      unwritten = unwritten.subarray(written);
      if (unwritten.length === 0) done(null, true);
      else if (error || written === 0) done(error, false);
      else writeRest(done);
    });
  }

  return {
    write(bytes, done) {
      // After a failure the caller comes back with the same lines, of which this much is left.
      if (unwritten.length === 0) unwritten = prettyLines(bytes, paint);
      writeRest((error, isWritten) => done(error, isWritten ? bytes.length : 0));
    },
    writeAtExit: (bytes, isBusy) => output.writeAtExit(prettyLines(bytes, paint), isBusy),
  };
}

function prettyLines(bytes: Uint8Array, paint: Paint): Uint8Array {
  const lines = Buffer.from(bytes).toString().split('\n');
  const isWhole = lines.at(-1) === '';
  if (isWhole) lines.pop();
  const text = lines.map((line) => prettyLine(line, paint)).join('\n');
  return Buffer.from(isWhole ? `${text}\n` : text);
}
