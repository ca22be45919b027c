import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
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
            // What every page needs before it can ask for anything: the entry's own libraries.
            {
              name: 'base',
              test: /node_modules\/(react|react-dom|scheduler|react-router|react-router-dom|cookie|set-cookie-parser|@tanstack\/(react-)?query[^/]*|i18next|react-i18next|use-sync-external-store|openapi-fetch)\//,
              priority: 30,
            },
            { name: 'igv', test: /node_modules\/igv\//, priority: 30 },
            { name: 'charts', test: /node_modules\/(@patternfly\/react-charts|victory[^/]*|d3-[^/]*)\//, priority: 30 },
            { name: 'table', test: /node_modules\/@patternfly\/(react-table)\//, priority: 20 },
          ],
        },
      },
    },
  },
});
