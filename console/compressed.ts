/**
 * Writes a `.br` and a `.gz` beside every built file that is large enough, so that the back office never
 * has to compress. Browsers accept Brotli only over TLS, so plain http needs gzip.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import type { Plugin } from 'vite';

/** Smaller files fit into one packet either way. */
const SMALLEST_BYTES = 1_400;
const COMPRESSIBLE = /\.(?:js|css|html|svg|json)$/;

export function compressed(): Plugin {
  return {
    name: 'compressed',
    apply: 'build',
    // From the written files: until then, other plugins still change the code.
    async writeBundle({ dir = '' }, bundle) {
      for (const fileName of Object.keys(bundle)) {
        if (!COMPRESSIBLE.test(fileName)) continue;
        const file = join(dir, fileName);
        const content = await readFile(file);
        if (content.length < SMALLEST_BYTES) continue;
        await writeFile(`${file}.br`, brotliCompressSync(content));
        await writeFile(`${file}.gz`, gzip(content));
      }
    },
  };
}

function gzip(content: Buffer): Buffer {
  const packed = gzipSync(content, { level: 9 });
  // The header names the operating system, so builds on two machines would differ.
  packed[9] = 255;
  return packed;
}
