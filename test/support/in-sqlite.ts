import { openSqliteStore } from 'pawl/internal/store/sqlite/store';
import type { OpenStore } from './world.ts';

/** A real SQLite database in this process's memory: what a spec runs on unless it needs more. */
export const inSqlite: OpenStore = ({ lifecycles, clock }) =>
  openSqliteStore({ path: ':memory:', lifecycles, clock, mode: 'inline' });
