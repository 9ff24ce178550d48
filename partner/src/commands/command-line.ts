/**
 * `@bellhop/partner/command-line`: what the commands of this package share with those of the server, so that both read
 * and print alike. It is for Bellhop itself, and changes without notice.
 */
export {
  apiKeyOption,
  type DeclaredCommand,
  type DeclaredOption,
  either,
  httpUrl,
  positiveTime,
  repeated,
  trimmed,
  wholeNumber,
} from './declared.ts';
export { CommandFailed, REPEAT, systemTrouble, UsageError } from './failures.ts';
export { endWithReader } from './reader-gone.ts';
export { reasonOf } from './reason-of.ts';
export { openPort, readWhole } from './small-server.ts';
export { stopAsked } from './stop-asked.ts';
export {
  type Cell,
  type Colour,
  clockTime,
  jsonText,
  type Progress,
  paint,
  progress,
  shownId,
  table,
} from './terminal.ts';
