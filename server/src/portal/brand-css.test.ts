import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Rgb } from '../base/config/brand.ts';
import { accentsOf, brandCss, contrast, LEAST_CONTRAST } from './brand-css.ts';

const part = fc.integer({ min: 0, max: 255 });

test('whatever colour an operator chooses, people can read it on light and on dark pages', () => {
  fc.assert(
    fc.property(fc.tuple(part, part, part), (color) => {
      for (const { accent, soft, on } of Object.values(accentsOf(color))) {
        expect(contrast(accent, soft)).toBeGreaterThanOrEqual(LEAST_CONTRAST);
        expect(contrast(accent, on)).toBeGreaterThanOrEqual(LEAST_CONTRAST);
      }
    }),
  );
});

test('a colour that can be read is used as it is', () => {
  const green: Rgb = [10, 107, 79];
  expect(accentsOf(green).light.accent).toEqual(green);
  expect(brandCss(green)).toContain('--accent: light-dark(#0a6b4f, ');
});

test('without a colour, the environments keep theirs', () => {
  expect(brandCss(undefined)).toBe('');
});

test('contrast is that of WCAG', () => {
  expect(contrast([255, 255, 255], [0, 0, 0])).toBeCloseTo(21, 5);
  expect(contrast([118, 118, 118], [255, 255, 255])).toBeCloseTo(4.54, 2);
});
