/** What the validator found, in words for people, and bounded: a bad body may have errors without end. */
import type { FastifyError } from 'fastify';
import { type FieldError, Problem } from '../resources/problem.ts';
import { formats } from './formats.ts';

/** The reply names this many fields; of the others it only says how many there are. */
export const MOST_FIELD_ERRORS = 20;
/** The name of an unknown field is the caller's own, and may be as long as the body. */
export const LONGEST_FIELD_NAME = 200;

type Found = NonNullable<FastifyError['validation']>[number] & {
  parentSchema?: { type?: string; minimum?: number; maximum?: number };
};

export function validationProblem({ validation = [], validationContext }: FastifyError): Problem {
  // A bad environment, which is the only part of an address that has a schema of its own.
  if (validationContext === 'params') return new Problem('environment_not_found');
  const { errors, others } = fieldErrorsOf(validation, validationContext);
  const sentences = new Set(errors.map(({ field, detail }) => `${field || 'The body'} ${detail}`));
  const more = others > 0 ? `; and ${others} more errors` : '';
  return new Problem('validation_failed', `${[...sentences].join('; ')}${more}.`, errors);
}

/** The first errors in words, and how many others there are. */
export function fieldErrorsOf(
  validation: NonNullable<FastifyError['validation']>,
  context?: string,
): { errors: FieldError[]; others: number } {
  const found = (validation as Found[]).filter((one) => !COMBINING.has(one.keyword));
  const nullable = new Set(found.filter(isNullBranch).map(({ instancePath }) => instancePath));
  // What is wrong with a field comes before what should be given with it.
  const meant = found
    .filter((one) => !isNullBranch(one))
    .sort((a, b) => Number(isCompanion(a)) - Number(isCompanion(b)));
  const errors = meant.slice(0, MOST_FIELD_ERRORS).map((one): FieldError => {
    const orNull = one.keyword === 'type' && nullable.has(one.instancePath) ? ' or null' : '';
    return { field: fieldOf(one, context), detail: detailOf(one) + orNull };
  });
  return { errors, others: meant.length - errors.length };
}

/** These only report that one of their parts failed, and the part has an error of its own. */
const COMBINING: ReadonlySet<string> = new Set(['if', 'anyOf', 'oneOf', 'dependentRequired']);

/** Of a field that may be null, the validator also complains that it is not null. */
function isNullBranch({ keyword, params }: Found): boolean {
  return keyword === 'type' && params.type === 'null';
}

function isCompanion({ keyword }: Found): boolean {
  return keyword === 'dependencies';
}

const TYPES: Readonly<Record<string, string>> = {
  string: 'must be a string',
  boolean: 'must be true or false',
  integer: 'must be a whole number',
  number: 'must be a number',
  array: 'must be a list',
  object: 'must be an object',
};

function detailOf({ keyword, params, parentSchema }: Found): string {
  const limit = Number(params.limit);
  switch (keyword) {
    case 'required':
      return 'is missing';
    case 'dependencies':
      return `is missing; it must be given together with ${params.property}`;
    case 'additionalProperties':
      return 'is not known here';
    case 'enum':
      return `must be one of ${(params.allowedValues as unknown[]).join(', ')}`;
    case 'type':
      return parentSchema?.type === 'integer' ? wholeNumber(parentSchema) : typeOf(params.type);
    case 'minimum':
    case 'maximum':
      return wholeNumber(parentSchema ?? {});
    case 'minLength':
      return limit === 1 ? 'must not be empty' : `must have at least ${limit} characters`;
    case 'maxLength':
      return `must have at most ${limit} characters`;
    case 'minItems':
      return `must have at least ${limit} ${limit === 1 ? 'entry' : 'entries'}`;
    case 'maxItems':
      return `must have at most ${limit} entries`;
    case 'minProperties':
      return `must have at least ${limit} ${limit === 1 ? 'field' : 'fields'}`;
    case 'format':
      return formats[String(params.format)]?.says ?? 'is not valid';
    default:
      return 'is not valid';
  }
}

function typeOf(type: unknown): string {
  const [first = '', ...others] = [type].flat().map(String);
  const words = TYPES[first] ?? 'is not valid';
  return others.includes('null') ? `${words} or null` : words;
}

function wholeNumber({ minimum, maximum }: { minimum?: number; maximum?: number }): string {
  if (minimum === undefined) return 'must be a whole number';
  if (maximum === undefined) return `must be a whole number of at least ${minimum}`;
  return `must be a whole number from ${minimum} to ${maximum}`;
}

function fieldOf(error: Found, context: string | undefined): string {
  const { additionalProperty, missingProperty } = error.params as Record<string, string>;
  const last = additionalProperty ?? missingProperty;
  const pointer = last === undefined ? error.instancePath : `${error.instancePath}/${last}`;
  const field = context === 'querystring' ? pointer.slice(1) : pointer;
  return field.length > LONGEST_FIELD_NAME
    ? `${field.slice(0, LONGEST_FIELD_NAME).toWellFormed()}…`
    : field;
}
