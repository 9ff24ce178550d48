import { expect, test } from 'vitest';
import { exampleOf, formsOf } from './forms.ts';
import { type Document, groupsOf } from './openapi.ts';
import { fieldsOf, typeOf } from './schema.ts';

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
