/**
 * A route as one sentence: the operation, where it is, what it does, who may call it, what goes in and comes out, which
 * problems it has, and the action. The back office and the portal make HTTP and their OpenAPI documents of it.
 */
import type { Static, TSchema } from 'typebox';
import type { BackOfficeStore } from '../store/back-office/store.ts';
import type { SupportEnvironment } from './environment.ts';
import { like } from './examples.ts';
import { Environment, reply } from './forms.ts';
import type { ProblemCode } from './problem.ts';
import { Type } from './type.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** What a role must allow: sign-in.ts says which do. */
export type Access = 'read' | 'change' | 'administer';

export interface Form<
  May = Access,
  Query extends TSchema = TSchema,
  Body extends TSchema = TSchema,
  Reply extends TSchema = TSchema,
> {
  may: May;
  /** Some bodies need more than the others. */
  needsMore?: { may: May; when: (body: Static<Body>) => boolean };
  query?: Query;
  body?: Body;
  /** Without one, the answer is 204. */
  reply?: Reply;
  status?: 200 | 201;
  /** Those that only this operation has. */
  problems?: readonly ProblemCode[];
  /** What the summary does not say. */
  more?: string;
}

/** What a caller sends. */
export interface Asked<Params = unknown, Query = unknown, Body = unknown> {
  params: Params;
  query: Query;
  body: Body;
}

/** What an action of the back office gets besides. */
export interface SupportContext {
  /** The one in the address. */
  environment: SupportEnvironment;
  /** All of them, for what belongs to none. */
  environments: readonly SupportEnvironment[];
  /** Tokens, people and sessions, which belong to no environment. */
  backOfficeStore: BackOfficeStore;
  /** Who calls, for the audit. */
  actor: string;
}

const SINCE =
  'from the usage history, which counts by the hour: those since the beginning of the hour in which this time began.';

export const DryRun = reply('DryRun', {
  effects: reply('Effects', {
    calls_last_hour: like(
      20,
      Type.Integer({
        description: `Calls of the last hour that were let in and would be refused now, ${SINCE} Of an allow-list, all calls of the key, because addresses are not counted. Of a lower limit, those that it would have refused however they were spread over the hour.`,
      }),
    ),
    calls_last_day: like(412, Type.Integer({ description: 'The same of the last 24 hours.' })),
    keys: like(1, Type.Integer({ description: 'How many keys would be refused something.' })),
  }),
});
export type DryRun = Static<typeof DryRun>;

export interface Route<May = Access, Context = SupportContext> {
  operation: string;
  method: Method;
  url: string;
  params: TSchema | undefined;
  summary: string;
  form: Form<May>;
  // biome-ignore lint/suspicious/noExplicitAny: `route` has checked that the action takes what the schemas allow.
  action: (call: Context & Asked<any, any, any>) => unknown;
  /** What the action would do, for `?dry_run=true`. */
  // biome-ignore lint/suspicious/noExplicitAny: the same.
  dryRun: ((call: Context & Asked<any, any, any>) => Promise<DryRun>) | undefined;
}

type Ids<Path> = Path extends `${infer First}/${infer Rest}`
  ? Ids<First> & Ids<Rest>
  : Path extends `:${infer Name}`
    ? { [N in Name]: string }
    : unknown;

/** Makes the routes of one API. Each listener that serves routes has its own rights and its own context. */
export function routesUnder<May, Context>(prefix: string) {
  /** `where` is a method and a path inside an environment; a path with a leading slash is in none. */
  return <
    const M extends Method,
    const Path extends string,
    Query extends TSchema,
    Body extends TSchema,
    Reply extends TSchema,
  >(
    operation: string,
    where: `${M} ${Path}`,
    summary: string,
    form: Form<May, Query, Body, Reply>,
    action: (
      call: Context & Asked<Ids<Path>, Static<Query>, Static<Body>>,
    ) => Static<NoInfer<Reply>> | Promise<Static<NoInfer<Reply>>>,
    dryRun?: (call: Context & Asked<Ids<Path>, Static<Query>, Static<Body>>) => Promise<DryRun>,
  ): Route<May, Context> => {
    const [method, path] = where.split(' ') as [M, Path];
    const url = path.startsWith('/') ? `${prefix}${path}` : `${prefix}/:environment/${path}`;
    return {
      operation,
      method,
      url,
      params: paramsOf(url),
      summary,
      form: form as Form<May>,
      action,
      dryRun,
    };
  };
}

/** A route of the support API. */
export const route = routesUnder<Access, SupportContext>('/support/v1');

function paramsOf(url: string): TSchema | undefined {
  const names = url.split('/').flatMap((part) => (part.startsWith(':') ? [part.slice(1)] : []));
  if (names.length === 0) return undefined;
  const schemaOf = (name: string) => (name === 'environment' ? Environment : Type.String());
  return Type.Object(Object.fromEntries(names.map((name) => [name, schemaOf(name)])));
}
