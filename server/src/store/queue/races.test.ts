/** Operations that could get in each other's way, a few times. races.long.test.ts repeats them more often. */
import { racesConformance } from '../../../testing/conformance/queue/races.ts';
import { randomRacesConformance } from '../../../testing/conformance/queue/races-random.ts';

racesConformance(3);
randomRacesConformance(5);
