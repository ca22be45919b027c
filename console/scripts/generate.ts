/** Generates src/api/generated.ts, the types of every call, from the api's OpenAPI document. */
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const api = join(import.meta.dirname, '..', '..', 'api');
const out = process.argv[2] ?? join(import.meta.dirname, '..', 'src', 'api', 'generated.ts');

// openapi-typescript needs TypeScript's old compiler API, which is installed only in the api's folder.
const fromApi = createRequire(join(api, 'package.json'));
const { default: openapiTS, astToString } = await import(
  pathToFileURL(fromApi.resolve('openapi-typescript')).href.replace(/index\.cjs$|index\.mjs$|index\.js$/, 'index.mjs')
);
const { buildDocument } = await import(pathToFileURL(join(api, 'src', 'openapi', 'document.ts')).href);

const nodes = await openapiTS(buildDocument(), { defaultNonNullable: true });
writeFileSync(out, `// Made by npm run generate; do not edit.\n${astToString(nodes)}`);
