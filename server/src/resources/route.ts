/**
 * A route as one sentence: the operation, where it is, what it does, who may call it, what goes in and comes out, which
 * problems it has, and the action. The back office makes HTTP and the OpenAPI document of it.
 */
import Type, { type Static, type TSchema } from 'typebox';
import type { BackOfficeStore } from '../store/back-office/store.ts';
import type { SupportEnvironment } from './environment.ts';
import { Environment } from './forms.ts';
import type { ProblemCode } from './problem.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** What a role must allow: sign-in.ts says which do. */
export type Access = 'read' | 'change' | 'administer';

export interface Form<
  Query extends TSchema = TSchema,
  Body extends TSchema = TSchema,
  Reply extends TSchema = TSchema,
> {
  may: Access;
  /** Some bodies need more than the others. */
  needsAdmin?: (body: Static<Body>) => boolean;
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

export interface Call<Params = unknown, Query = unknown, Body = unknown> {
  /** The one in the address. */
  environment: SupportEnvironment;
  /** Tokens, people and sessions, which belong to no environment. */
  backOfficeStore: BackOfficeStore;
  /** Who calls, for the audit. */
  actor: string;
  params: Params;
  query: Query;
  body: Body;
}

export interface Route {
  operation: string;
  method: Method;
  url: string;
  params: TSchema | undefined;
  summary: string;
  form: Form;
  // biome-ignore lint/suspicious/noExplicitAny: `route` has checked that the action takes what the schemas allow.
  action: (call: Call<any, any, any>) => unknown;
}

type Ids<Path> = Path extends `${infer First}/${infer Rest}`
  ? Ids<First> & Ids<Rest>
  : Path extends `:${infer Name}`
    ? { [N in Name]: string }
    : unknown;

/** `where` is a method and a path inside an environment; a path with a leading slash is in none. */
export function route<
  const M extends Method,
  const Path extends string,
  Query extends TSchema,
  Body extends TSchema,
  Reply extends TSchema,
>(
  operation: string,
  where: `${M} ${Path}`,
  summary: string,
  form: Form<Query, Body, Reply>,
  action: (
    call: Call<Ids<Path>, Static<Query>, Static<Body>>,
  ) => Static<NoInfer<Reply>> | Promise<Static<NoInfer<Reply>>>,
): Route {
  const [method, path] = where.split(' ') as [M, Path];
  const url = path.startsWith('/') ? `/support/v1${path}` : `/support/v1/:environment/${path}`;
  return { operation, method, url, params: paramsOf(url), summary, form: form as never, action };
}

function paramsOf(url: string): TSchema | undefined {
  const names = url.split('/').flatMap((part) => (part.startsWith(':') ? [part.slice(1)] : []));
  if (names.length === 0) return undefined;
  const schemaOf = (name: string) => (name === 'environment' ? Environment : Type.String());
  return Type.Object(Object.fromEntries(names.map((name) => [name, schemaOf(name)])));
}
