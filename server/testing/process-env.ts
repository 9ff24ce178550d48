/** What a Bellhop process needs from the environment of the tests, and nothing of its settings. */
const { PATH = '', NODE_COMPILE_CACHE } = process.env;

export const processEnv: Record<string, string> = {
  PATH,
  // See test/provide/global-setup.ts.
  ...(NODE_COMPILE_CACHE !== undefined && { NODE_COMPILE_CACHE }),
};
