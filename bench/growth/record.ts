/** The figures in docs/scale/growth.json. A new run replaces those of the same dimension, engine and size. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SCALE_DOCS } from '../scale-docs.ts';
import type { Cost } from './costs.ts';
import type { EngineName } from './stocked-bellhop.ts';

const FILE = join(SCALE_DOCS, 'growth.json');

export interface Measurement {
  dimension: string;
  engine: EngineName;
  size: number;
  costs: Cost[];
}

export interface Growth {
  /** What a reader must know about the figures; written by hand, and removed after a full run. */
  note?: string;
  measurements: (Measurement & { at: string })[];
}

export async function readGrowth(): Promise<Growth> {
  const text = await readFile(FILE, 'utf8').catch(() => '{"measurements":[]}');
  return JSON.parse(text) as Growth;
}

export async function keep(measurement: Measurement): Promise<void> {
  const growth = await readGrowth();
  const isOther = (one: Measurement) =>
    one.dimension !== measurement.dimension ||
    one.engine !== measurement.engine ||
    one.size !== measurement.size;
  const costs = measurement.costs.map((cost) => ({
    ...cost,
    value: Number(cost.value.toPrecision(4)),
  }));
  const at = new Date().toISOString().slice(0, 10);
  const measurements = [...growth.measurements.filter(isOther), { ...measurement, at, costs }].sort(
    (a, b) =>
      a.dimension.localeCompare(b.dimension) || a.engine.localeCompare(b.engine) || a.size - b.size,
  );
  await writeFile(FILE, `${JSON.stringify({ ...growth, measurements })}\n`);
}
