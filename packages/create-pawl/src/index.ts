// What programs name: `import { createProject } from 'create-pawl'`.
export { createProject, type ProjectOptions, type Store } from './create-project.ts';
