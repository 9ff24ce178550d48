import { describe } from 'vitest';
import { acceptConformance } from '../../../testing/conformance/queue/accept.ts';
import { askedConformance } from '../../../testing/conformance/queue/asked.ts';
import { dueConformance } from '../../../testing/conformance/queue/due.ts';
import { fencingConformance } from '../../../testing/conformance/queue/fencing.ts';
import { lanesConformance } from '../../../testing/conformance/queue/lanes.ts';
import { noticesConformance } from '../../../testing/conformance/queue/notices.ts';
import { orderConformance } from '../../../testing/conformance/queue/order.ts';
import { orderChangesConformance } from '../../../testing/conformance/queue/order-changes.ts';
import { pullForwardConformance } from '../../../testing/conformance/queue/pull-forward.ts';
import { settleConformance } from '../../../testing/conformance/queue/settle.ts';
import { settleCancelledConformance } from '../../../testing/conformance/queue/settle-cancelled.ts';
import { shardsConformance } from '../../../testing/conformance/queue/shards.ts';
import { describeOnEachStore } from '../../../testing/delivery-rig.ts';

describeOnEachStore('the delivery queue', (newDatabase) => {
  describe('accepting events', () => acceptConformance(newDatabase));
  describe('due work', () => dueConformance(newDatabase));
  describe('events of one order', () => orderConformance(newDatabase));
  describe('a change of delivery_order', () => orderChangesConformance(newDatabase));
  describe('settling', () => settleConformance(newDatabase));
  describe('a delivery cancelled', () => settleCancelledConformance(newDatabase));
  describe('requesting an attempt', () => askedConformance(newDatabase));
  describe('following a clock that was set back', () => pullForwardConformance(newDatabase));
  describe('fencing', () => fencingConformance(newDatabase));
  describe('shards', () => shardsConformance(newDatabase));
  describe('a midoffice as the worker sees it', () => lanesConformance(newDatabase));
  describe('notices', () => noticesConformance(newDatabase));
});
