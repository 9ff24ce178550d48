import { endChildrenOnSignals } from './end-children.ts';
import { endWithParent } from './end-with-parent.ts';

endChildrenOnSignals();
endWithParent();
