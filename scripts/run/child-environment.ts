/**
 * What a process needs to run our sources; nothing else of this environment reaches it. Without the
 * compile cache half of its time to start goes into reading the same sources again.
 */
export const childEnvironment: NodeJS.ProcessEnv = {
  PATH: process.env['PATH'],
  NODE_OPTIONS: process.env['NODE_OPTIONS'],
  NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
};
