// What programs name: `import { handler, serve } from '@pawl/server'`.
export {
  handler,
  type HandlerOptions,
  type MountedUser,
  type PawlHandler,
  serve,
  type ServeOptions,
} from './serve.ts';
export type { Role } from 'pawl/internal/contract/role';
