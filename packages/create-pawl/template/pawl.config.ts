import { defineConfig } from 'pawl';
import { jobs } from './src/jobs.ts';
import { writeSchedules } from './src/schedules.ts';

export default defineConfig({
  database: process.env['DATABASE_URL'] ?? '<database>',
  jobs,
  onStart: writeSchedules,
});
