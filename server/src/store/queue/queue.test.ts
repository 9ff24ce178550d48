import { describe } from 'vitest';
import { acceptConformance } from '../../../testing/conformance/queue/accept.ts';
import { askedConformance } from '../../../testing/conformance/queue/asked.ts';
import { dueConformance } from '../../../testing/conformance/queue/due.ts';
import { fencingConformance } from '../../../testing/conformance/queue/fencing.ts';
import { lanesConformance } from '../../../testing/conformance/queue/lanes.ts';
import { noticesConformance } from '../../../testing/conformance/queue/notices.ts';
import { orderConformance } from '../../../testing/conformance/queue/order.ts';
import { settleConformance } from '../../../testing/conformance/queue/settle.ts';
import { shardsConformance } from '../../../testing/conformance/queue/shards.ts';
import { describeOnEachStore } from '../../../testing/delivery-rig.ts';

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
