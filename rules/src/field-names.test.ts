import { expect, test } from 'vitest';
import { fieldInWords, fieldTitle } from './field-names.ts';

test('fields are called what people say, and others by their own name', () => {
  expect(fieldInWords('requests_number')).toBe('calls');
  expect(fieldInWords('midoffice_id')).toBe('midoffice');
  expect(fieldInWords('id')).toBe('id');
  expect(fieldInWords('some_new_field')).toBe('some new field');
  expect(fieldTitle('max_in_flight')).toBe('Maximum attempts in flight');
});
