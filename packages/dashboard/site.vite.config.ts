import { defineConfig } from 'vite';

// The script and the style sheet of the documentation; the pages are written by scripts/site.
// oxlint-disable-next-line import/no-default-export -- Vite wants it so
export default defineConfig({
  publicDir: 'src/site/public',
  build: {
    target: 'es2025',
    emptyOutDir: false,
    lib: {
      entry: 'src/site/site.ts',
      formats: ['es'],
      fileName: () => 'site.js',
      cssFileName: 'site',
    },
  },
});
