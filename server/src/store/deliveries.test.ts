import { describeOnEachStore } from '../../testing/delivery-rig.ts';
import { deliveryStoreConformance } from './deliveries-conformance.ts';

describeOnEachStore('the delivery store', deliveryStoreConformance);
