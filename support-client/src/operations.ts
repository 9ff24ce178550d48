/** What an operation takes and answers, by its id in the OpenAPI document. Types only. */
import type { operations } from './back-office.gen.ts';

export type OperationId = keyof operations;

/** The reply when it worked; undefined where it has no body. */
export type ReplyOf<Id extends OperationId> =
  Success<operations[Id]['responses']> extends { content: { 'application/json': infer Body } }
    ? Body
    : undefined;

export type BodyOf<Id extends OperationId> = operations[Id] extends {
  requestBody?: { content: { 'application/json': infer Body } };
}
  ? Body
  : never;

export type QueryOf<Id extends OperationId> = NonNullable<operations[Id]['parameters']['query']>;

type Success<Responses> = Responses[keyof Responses & (200 | 201 | 202 | 204)];
