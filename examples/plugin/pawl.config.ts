import { defineConfig } from 'pawl';
import { heartbeats } from './plugin.ts';

export default defineConfig({ plugins: [heartbeats()] });
