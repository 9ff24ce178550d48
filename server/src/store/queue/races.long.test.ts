/** As races.test.ts, so often that rare outcomes come up too. */
import { racesConformance } from '../../../testing/conformance/queue/races.ts';
import { randomRacesConformance } from '../../../testing/conformance/queue/races-random.ts';

racesConformance(20);
randomRacesConformance(40);
