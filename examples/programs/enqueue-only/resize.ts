// resize.ts
import { declareJob, typed } from 'pawl';

export const resize = declareJob('resize', {
  input: typed<{ picture: string; width: number }>(),
  result: typed<{ file: string }>(),
});
