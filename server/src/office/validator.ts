/**
 * Checks what callers send against its schema. The first check stops at the first error, and almost always there is
 * none. Only if something is wrong with a small input, it is checked again for all its errors: an input of 120,000
 * unknown fields has 120,000 errors, and finding them took the thread 250 ms.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { _, Ajv, type ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';
import type { SafePromiseLike } from 'fastify';
import { formats } from './formats.ts';

/** Of an input with more values than this, only the first error is reported. */
export const MOST_VALUES_FOR_ALL_ERRORS = 200;

export interface Validator {
  (input: unknown): boolean;
  /** Of the last call, if it returned false. */
  errors?: ValidateFunction['errors'];
}

interface RequestCheck {
  (input: unknown): boolean | SafePromiseLike<boolean>;
  errors?: Validator['errors'];
}

const quick = createAjv(false);
// Most schemas never meet a bad input, so this one compiles a schema when the first does.
const thorough = createAjv(true);

/** Compiles at once. Remembers what it has compiled: a process that starts another back office, as tests do, need not again. */
export function compileSchema(schema: object): Validator {
  const isValid = quick.compile(schema);
  const validator: Validator = (input) => {
    if (isValid(input)) return true;
    validator.errors = isValid.errors;
    if (hasAtMost(MOST_VALUES_FOR_ALL_ERRORS, input)) {
      const check = thorough.compile(schema);
      check(input);
      validator.errors = check.errors;
    }
    return false;
  };
  return validator;
}

/**
 * For Fastify. Compiles at the first request, because all schemas would take a tenth of the thread's start; and in a
 * turn of the event loop of its own, because what the request does then takes time as well.
 */
export function compileAtFirstRequest(schema: object) {
  let validator: Validator | undefined;
  const check: RequestCheck = (input) => {
    if (!validator) {
      const later: PromiseLike<boolean> = compiled().then(() => check(input) as boolean);
      return later as SafePromiseLike<boolean>;
    }
    const isValid = validator(input);
    check.errors = validator.errors;
    return isValid;
  };
  async function compiled(): Promise<void> {
    await nextTurn();
    validator ??= compileSchema(schema);
    await nextTurn();
  }
  return check;
}

function createAjv(allErrors: boolean): Ajv {
  // `verbose` adds the schema to an error, which the sentence about it needs.
  // The linter of the document checks the schemas. Compiling the schema of schemas took 45 ms of the first request.
  const checks = { validateSchema: false, meta: false } as const;
  const ajv = new Ajv({
    ...checks,
    useDefaults: true,
    addUsedSchema: false,
    verbose: true,
    allErrors,
    // Took half of the time to compile a schema, which the first request waits for; V8 optimizes what is used.
    code: { optimize: false },
  });
  addFormats.default(ajv);
  // As earlier drafts of JSON Schema call it.
  ajv.addKeyword({ keyword: 'dependentRequired', macro: (dependencies) => ({ dependencies }) });
  for (const [name, { check }] of Object.entries(formats)) ajv.addFormat(name, check ?? true);
  boundLengths(ajv);
  return ajv;
}

/**
 * A character has one or two UTF-16 units, so most texts need no count. Ajv counts each text, twice, to its end: 3 ms for
 * one of half a megabyte that may have 200 characters.
 */
function boundLengths(ajv: Ajv): void {
  const keywords = {
    minLength: (least: number) => (text: string) =>
      text.length >= 2 * least || [...text].length >= least,
    maxLength: (most: number) => (text: string) =>
      text.length <= most || (text.length <= 2 * most && [...text].length <= most),
  };
  for (const [keyword, compile] of Object.entries(keywords)) {
    ajv.removeKeyword(keyword);
    ajv.addKeyword({
      keyword,
      type: 'string',
      schemaType: 'number',
      compile,
      error: {
        message: `must pass ${keyword}`,
        params: ({ schemaCode }) => _`{limit: ${schemaCode}}`,
      },
    });
  }
}

/** Looks at no more values than that. */
function hasAtMost(most: number, input: unknown): boolean {
  const waiting: unknown[] = [input];
  for (let seen = 0; waiting.length > 0; seen++) {
    if (seen >= most) return false;
    const value = waiting.pop();
    if (typeof value !== 'object' || value === null) continue;
    for (const name in value) {
      if (waiting.length > most) return false;
      waiting.push((value as Record<string, unknown>)[name]);
    }
  }
  return true;
}
