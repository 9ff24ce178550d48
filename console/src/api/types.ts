/**
 * The support API's requests and replies, by the names that the console uses. They come from the
 * OpenAPI document; nothing is written here by hand. Times are ISO 8601 in UTC.
 */
import type { AttemptWithRequest, Attempt as PlainAttempt } from '@bellhop/support-client';

export type {
  AuditEntry,
  BodyForm,
  ConsoleSession as Session,
  Delivery,
  DeliveryOrder,
  DeliveryState,
  DeliveryWithAttempts,
  Environment,
  EventType,
  Grant,
  GrantInput,
  GrantWithWarnings,
  Key,
  KeyChanges,
  KeyWithSecret,
  MidofficeChanges,
  MidofficeWithState as Midoffice,
  NewMidoffice,
  NewPartner,
  NewToken,
  Partner,
  PartnerChanges,
  Person,
  ReceiverCertification,
  ReceiverCheck,
  ReceiverLine,
  Recovered,
  Recovery as RecoveryInput,
  Role,
  Rotation,
  SearchHit as Found,
  SignInMethods,
  Stats,
  StatsBucket as Bucket,
  StatsSpan as Span,
  Token,
  TokenWithSecret,
  Usage,
} from '@bellhop/support-client';

/** Only the page of a delivery has the request as it was sent. */
export type Attempt = PlainAttempt & Partial<Pick<AttemptWithRequest, 'request'>>;

/** Every list comes in pages. */
export interface Page<T> {
  items: T[];
  next_cursor: string | null;
}
