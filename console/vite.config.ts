import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { entryGroup } from './scripts/entry-group.ts';
import { softwareList } from './scripts/software-list.ts';

/** The api that `npm run dev` talks to; a running product's address. */
const api = process.env['SEQPANEL_API'] ?? 'http://127.0.0.1:8080';

const { version } = JSON.parse(readFileSync(join(import.meta.dirname, 'package.json'), 'utf8')) as { version: string };

export default defineConfig({
  define: { __APP_VERSION__: JSON.stringify(version) },
  plugins: [react(), softwareList()],
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
            // The static imports of main.tsx, so that no other group can draw its modules into the entry.
            { name: entryGroup, debugName: 'base', priority: 30 },
            { name: 'igv', test: /node_modules\/igv\//, priority: 30 },
            { name: 'charts', test: /node_modules\/(@patternfly\/react-charts|victory[^/]*|d3-[^/]*)\//, priority: 30 },
            // What two or more pages share. One chunk in place of dozens: each request costs more than the bytes saved.
            { name: 'shared', minShareCount: 2, priority: 10 },
          ],
        },
      },
    },
  },
});
