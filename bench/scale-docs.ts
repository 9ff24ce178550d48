/** The folder of the pages, plots and figures that the measuring commands write. */
import { join } from 'node:path';

export const SCALE_DOCS = join(import.meta.dirname, '..', 'docs', 'scale');
