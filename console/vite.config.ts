import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { entryGroup } from './scripts/entry-group.ts';
import { preloadShared } from './scripts/preload-shared.ts';
import { softwareList } from './scripts/software-list.ts';

/** Address of the api for `npm run dev`, that of a running product. */
const api = process.env['SEQPANEL_API'] ?? 'http://127.0.0.1:8080';

const { version } = JSON.parse(readFileSync(join(import.meta.dirname, 'package.json'), 'utf8')) as { version: string };

/** Modules that most pages use, in one chunk instead of dozens, because a request costs more than the saved bytes. */
const SHARED =
  /node_modules\/(@patternfly\/react-(core|icons|styles|table|tokens)|@tanstack)\/|\/crds\/src\/|\/console\/src\/(components|frame|hooks|queries|session|uploads|pages\/tasks|pages\/task-detail\/(task-facts|variants\/sample-choice))[/.]/;

export default defineConfig({
  define: { __APP_VERSION__: JSON.stringify(version) },
  plugins: [react(), softwareList(), preloadShared()],
  server: {
    proxy: {
      '/api': { target: api },
      '/auth': { target: api },
      '/ws': { target: api, ws: true },
    },
  },
  build: {
    target: 'es2022',
    // The api's CSP allows no inline script and no data: script.
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 1600,
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            // The static imports of main.tsx, so that no other group adds its modules to the entry.
            { name: entryGroup, debugName: 'base', priority: 30 },
            { name: 'igv', test: /node_modules\/igv\//, priority: 30 },
            { name: 'shared', test: SHARED, priority: 20 },
          ],
        },
      },
    },
  },
});
