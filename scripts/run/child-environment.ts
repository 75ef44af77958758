/** What a process needs to run our sources; nothing else of this environment reaches it. */
export const childEnvironment: NodeJS.ProcessEnv = {
  PATH: process.env['PATH'],
  NODE_OPTIONS: process.env['NODE_OPTIONS'],
};
