import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { chunkOf } from './scripts/entry-group.ts';
import { preloadShared } from './scripts/preload-shared.ts';
import { softwareList } from './scripts/software-list.ts';

/** Address of the api for `npm run dev`, that of a running product. */
const api = process.env['SEQPANEL_API'] ?? 'http://127.0.0.1:8080';

const { version } = JSON.parse(readFileSync(join(import.meta.dirname, 'package.json'), 'utf8')) as { version: string };

/**
 * What most pages use: one chunk of it in place of dozens, since each request costs more than the bytes saved. Without
 * the large parts that only an upload needs.
 */
const SHARED =
  /node_modules\/(@patternfly\/react-(core(?!.*\/MultipleFileUpload\/)|icons|styles|table|tokens)|@tanstack)\/|\/crds\/src\/|\/console\/src\/(components|frame|hooks|queries|session|uploads(?!\/tus-transfer)|pages\/tasks|pages\/task-detail\/(task-facts|variants\/sample-choice))[/.]/;

/** The libraries of an upload. */
const UPLOADS = /node_modules\/(tus-js-client|url-parse|js-base64|react-dropzone|file-selector|attr-accept)\//;

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
            // What runs before the libraries are loaded: as small as possible.
            { name: chunkOf('main', 'main.ts'), debugName: 'main', priority: 50 },
            { name: 'main', test: /vite\/preload-helper|rolldown\/runtime/, priority: 50 },
            // The libraries, and tslib, which the libraries of an upload would draw into their chunk.
            { name: chunkOf('base', 'start-app.tsx', /node_modules\/tslib\//), debugName: 'base', priority: 30 },
            { name: 'igv', test: /node_modules\/igv\//, priority: 30 },
            { name: 'uploads', test: UPLOADS, priority: 25 },
            { name: 'shared', test: SHARED, priority: 20 },
          ],
        },
      },
    },
  },
});
