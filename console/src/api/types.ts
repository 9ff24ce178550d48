/**
 * The support API's requests and replies, by the names that the console uses. They come from the
 * OpenAPI document; nothing is written here by hand. Times are ISO 8601 in UTC.
 */
import type { AttemptWithRequest } from '@bellhop/support-client';

export type {
  Activity,
  AttemptFailure,
  AuditEntry,
  BodyForm,
  BulkAction,
  BulkChange,
  BulkChanged,
  ConsoleSession as Session,
  Count,
  Delivery,
  DeliveryCount,
  DeliveryFilter,
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
  Note,
  Onboarding,
  OnboardingStep,
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
  SentPending,
  SignInMethods,
  Stats,
  StatsBucket as Bucket,
  StatsSpan as Span,
  StatusClass,
  Token,
  TokenWithSecret,
  Usage,
  UsageHistory,
  UsageHistoryItem,
  UsagePeak,
  UsageStep,
} from '@bellhop/support-client';

/** The last attempt of a midoffice comes without the request as it was sent. */
export type Attempt = Omit<AttemptWithRequest, 'request'> &
  Partial<Pick<AttemptWithRequest, 'request'>>;

/** Every list comes in pages. */
export interface Page<T> {
  items: T[];
  next_cursor: string | null;
}
