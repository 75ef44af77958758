// What programs name: `import { … } from '@pawl/move'`.
export { commands } from './cli/commands.ts';
