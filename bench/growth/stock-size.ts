/** How much a database holds before its costs are measured. */
export interface StockSize {
  /** Delivered events, each with an attempt. */
  delivered: number;
  /** Events that wait for a retry. */
  pending: number;
  midoffices: number;
  partners: number;
  keys: number;
  audit: number;
}

/** What a dimension does not change. */
export const USUAL: StockSize = {
  delivered: 10_000,
  pending: 100,
  midoffices: 100,
  partners: 100,
  keys: 100,
  audit: 1_000,
};

/** One thing that grows tenfold at a time while everything else stays the same. */
export interface Dimension {
  name: string;
  /** On the axis of its plots. */
  title: string;
  sizes: number[];
  stock(size: number): StockSize;
  /** What could depend on it, besides the start, memory and the pages, which are always measured. */
  measures: ('overview' | 'events' | 'retention')[];
}

export const dimensions: Dimension[] = [
  {
    name: 'deliveries',
    title: 'deliveries stored',
    sizes: [1e4, 1e5, 1e6, 1e7],
    stock: (delivered) => ({ ...USUAL, delivered }),
    measures: ['overview', 'events', 'retention'],
  },
  {
    name: 'pending',
    title: 'deliveries pending',
    sizes: [1e3, 1e4, 1e5, 1e6],
    stock: (pending) => ({ ...USUAL, pending }),
    measures: ['overview', 'events', 'retention'],
  },
  {
    name: 'keys',
    title: 'keys stored',
    sizes: [10, 100, 1e3, 1e4, 1e5, 1e6],
    stock: (keys) => ({ ...USUAL, keys }),
    measures: ['overview'],
  },
  {
    name: 'midoffices',
    title: 'midoffices',
    sizes: [10, 100, 1e3, 1e4, 1e5],
    stock: (midoffices) => ({ ...USUAL, midoffices }),
    measures: ['events'],
  },
  {
    name: 'audit',
    title: 'audit entries',
    sizes: [1e3, 1e4, 1e5, 1e6],
    stock: (audit) => ({ ...USUAL, audit }),
    measures: [],
  },
  {
    name: 'company',
    title: 'deliveries of 20,000 partners',
    sizes: [1e6, 1e7],
    stock: (delivered) => ({
      delivered,
      pending: 1e4,
      midoffices: 5e3,
      partners: 2e4,
      keys: 1e5,
      audit: 1e6,
    }),
    measures: [],
  },
];
