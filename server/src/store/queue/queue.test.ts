import { describe } from 'vitest';
import { describeOnEachStore } from '../../../testing/delivery-rig.ts';
import { acceptConformance } from './conformance/accept.ts';
import { askedConformance } from './conformance/asked.ts';
import { dueConformance } from './conformance/due.ts';
import { fencingConformance } from './conformance/fencing.ts';
import { lanesConformance } from './conformance/lanes.ts';
import { noticesConformance } from './conformance/notices.ts';
import { orderConformance } from './conformance/order.ts';
import { settleConformance } from './conformance/settle.ts';
import { shardsConformance } from './conformance/shards.ts';

describeOnEachStore('the delivery queue', (freshPlace) => {
  describe('accepting', () => acceptConformance(freshPlace));
  describe('what is due', () => dueConformance(freshPlace));
  describe('events of one order', () => orderConformance(freshPlace));
  describe('settling', () => settleConformance(freshPlace));
  describe('asking for an attempt', () => askedConformance(freshPlace));
  describe('fencing', () => fencingConformance(freshPlace));
  describe('shards', () => shardsConformance(freshPlace));
  describe('a midoffice as the worker sees it', () => lanesConformance(freshPlace));
  describe('notices', () => noticesConformance(freshPlace));
});
