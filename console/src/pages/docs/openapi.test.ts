import { expect, test } from 'vitest';
import backOffice from '../../../../docs/openapi/back-office.json' with { type: 'json' };
import partner from '../../../../docs/openapi/partner.json' with { type: 'json' };
import { exampleOf, formsOf, namedExamplesOf } from './forms.ts';
import { type Document, groupsOf, mediaOf, resolved } from './openapi.ts';
import { fieldsOf, type Schema, typeOf } from './schema.ts';

const document: Document = {
  info: { title: 'Test', version: '1' },
  paths: {
    '/things/{id}': {
      parameters: [{ name: 'id', in: 'path' }],
      get: { tags: ['things'], summary: 'Show' },
      delete: { tags: ['things'], summary: 'Delete' },
    },
  },
  webhooks: { changed: { post: { summary: 'It changed' } } },
  components: {
    schemas: {
      Thing: {
        type: 'object',
        required: ['name'],
        properties: {
          name: { type: 'string', minLength: 1, maxLength: 9, description: 'Its name.' },
          parts: { type: 'array', items: { $ref: '#/components/schemas/Part' } },
          until: { anyOf: [{ type: 'string', format: 'date-time' }, { type: 'null' }] },
        },
      },
      Part: { type: 'object', properties: { size: { enum: ['small', 'large'] } } },
    },
  },
};
const thing = { $ref: '#/components/schemas/Thing' };

test('groups operations by tag, webhooks last', () => {
  const groups = groupsOf(document);
  expect(groups.map(({ name, operations }) => [name, operations.map(({ id }) => id)])).toEqual([
    ['things', ['get-things-id', 'delete-things-id']],
    ['webhooks', ['post-changed']],
  ]);
  expect(groups[0]?.operations[1]?.parameters).toEqual([{ name: 'id', in: 'path' }]);
});

test('lists fields with their nested fields', () => {
  expect(fieldsOf(document, thing)).toEqual([
    {
      name: 'name',
      depth: 0,
      type: 'string',
      isRequired: true,
      description: 'Its name. 1 to 9 characters.',
    },
    { name: 'parts', depth: 0, type: 'array of object', isRequired: false, description: '' },
    { name: 'size', depth: 1, type: '"small" | "large"', isRequired: false, description: '' },
    {
      name: 'until',
      depth: 0,
      type: 'string (date-time) or null',
      isRequired: false,
      description: '',
    },
  ]);
});

test('makes an example from the schema', () => {
  expect(exampleOf(document, { schema: thing })).toEqual({
    name: 'string',
    parts: [{ size: 'small' }],
    until: '2026-01-31T12:00:00.000Z',
  });
});

test('shows each form of a body that has several', () => {
  const property = (name: string) => ({ properties: { [name]: { type: 'string' } } });
  const titled = [
    { title: 'long', description: 'The default.', ...property('text') },
    { title: 'short', ...property('code') },
  ];
  expect(
    formsOf(document, { schema: { oneOf: titled } }).map(
      ({ title, description, fields, example }) => [
        title,
        description,
        fields.map(({ name }) => name),
        example,
      ],
    ),
  ).toEqual([
    ['long', 'The default.', ['text'], { text: 'string' }],
    ['short', '', ['code'], { code: 'string' }],
  ]);
});

test('shows a body with one form, or with a choice that has no titles, once', () => {
  const untitled = { oneOf: [{ type: 'null' }, thing] };
  for (const schema of [thing, untitled]) {
    const forms = formsOf(document, { schema });
    expect(forms.map(({ title, fields }) => [title, fields[0]?.name])).toEqual([['', 'name']]);
  }
});

test('shows a list that is always empty without the fields of an item', () => {
  const refusal = (partner as unknown as Document).components?.schemas?.Refusal as Schema;
  expect(fieldsOf(partner as unknown as Document, refusal).slice(0, 2)).toMatchObject([
    {
      name: 'data',
      type: 'empty array or null',
      description: 'An empty array for the overview, null for the other endpoints.',
    },
    { name: 'debug', depth: 0 },
  ]);
});

test.each([
  ['partner', partner],
  ['back office', backOffice],
])('has an example for every code of an error of %s', (_name, json) => {
  const document = json as unknown as Document;
  const operations = groupsOf(document).flatMap((group) => group.operations);
  for (const { id, isWebhook, responses = {} } of operations) {
    if (isWebhook) continue;
    for (const [status, raw] of Object.entries(responses)) {
      if (!/^[45]/.test(status)) continue;
      const { description = '', content } = resolved(document, raw);
      const codes = [...description.matchAll(/^`(\w+)`:/gm)].map(([, code]) => code);
      const examples = namedExamplesOf(mediaOf(content)?.[1] ?? {});
      expect([id, status, examples.map(([code]) => code)]).toEqual([id, status, codes]);
      expect(codes).not.toEqual([]);
    }
  }
});

test('survives a reference to nothing and a circular one', () => {
  const broken: Document = {
    info: { title: '', version: '' },
    components: {
      schemas: {
        A: { $ref: '#/components/schemas/A' },
        B: { type: 'object', properties: { b: { $ref: '#/components/schemas/B' } } },
      },
    },
  };
  expect(typeOf(broken, { $ref: '#/components/schemas/Missing' })).toBe('any');
  expect(fieldsOf(broken, { $ref: '#/components/schemas/B' })).toHaveLength(4);
  expect(exampleOf(broken, { schema: { $ref: '#/components/schemas/B' } })).toBeTypeOf('object');
});

test('shows the 43 endpoints by area, each with GET and POST', () => {
  const groups = groupsOf(partner as unknown as Document);
  const shown = groups.map(({ name, operations }) => [
    name,
    new Set(operations.map(({ path }) => path)).size,
    operations.length,
  ]);
  expect(shown).toEqual([
    ['overview', 1, 2],
    ['search', 7, 14],
    ['prebook', 2, 4],
    ['hotel data', 8, 16],
    ['hotel orders', 7, 14],
    ['documents', 6, 12],
    ['profiles', 6, 12],
    ['order groups', 5, 10],
    ['general', 1, 2],
    ['webhooks', 1, 1],
  ]);
  const post = groups[1]?.operations.find(({ method }) => method === 'post');
  expect(post?.requestBody?.description).toContain('As the booking core defines it.');
});

test.each([
  ['partner', partner],
  ['back office', backOffice],
])('has real values in every example of %s', (_name, json) => {
  const document = json as unknown as Document;
  for (const { operations } of groupsOf(document)) {
    for (const { id, requestBody, responses = {} } of operations) {
      const contents = [requestBody, ...Object.values(responses)].map(
        (one) => one && resolved(document, one).content,
      );
      for (const [type, media] of contents.flatMap((content) => Object.entries(content ?? {}))) {
        if (type === 'text/csv') continue;
        const shown = JSON.stringify(formsOf(document, media).map(({ example }) => example));
        expect([id, shown]).not.toEqual([id, expect.stringMatching(/[:[]"(?:string|text)"/)]);
      }
    }
  }
});
