import { endWithParent } from './end-with-parent.ts';

endWithParent();
