/** `@bellhop/partner/receiver-check`: certifies a receiver, on the command line, in the console or in your own tests. */
export type { Answered, Failed, Post, ToPost } from './exchange.ts';
export { explainError } from './explain-error.ts';
export {
  BAD_HEADER,
  type Failure,
  HEAD_TOO_LONG,
  HTTPS_ONLY,
  isTimeout,
  lateReply,
  NOT_HTTP,
  type ReceiverFailure,
  type ReceiverFailureTexts,
  receiverFailures,
} from './failures.ts';
export { type CheckedForm, checkedForms } from './forms.ts';
export { type Group, groups, type LineTexts, type Outcome, outcomes } from './line.ts';
export { linesDocument, linesFor } from './lines.ts';
export { createNodePost } from './node-post.ts';
export { asksForHttps, failureWithoutTls, otherProtocol } from './other-protocol.ts';
export { EXCERPT_BYTES, READ_BYTES, ReplyExcerpt } from './reply-excerpt.ts';
export type { Report, ReportLine } from './report.ts';
export { reportInJunit } from './report-junit.ts';
export { type Paint, reportWriter } from './report-text.ts';
export { type CheckOptions, checkReceiver } from './run.ts';
export { LONGEST_URL, readReceiverUrl, type UrlProblem } from './url.ts';
