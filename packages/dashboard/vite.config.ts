import { defineConfig } from 'vite';

// Relative addresses, so that the page works below any prefix of a proxy.
// oxlint-disable-next-line import/no-default-export -- Vite wants it so
export default defineConfig({
  base: './',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    target: 'es2023',
    modulePreload: { polyfill: false },
  },
  server: { proxy: { '/v1': 'http://127.0.0.1:8080' } },
});
