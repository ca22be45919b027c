/** Makes src/openapi/generated.ts: the types of every operation and schema, from the merged document. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import openapiTS, { astToString, type OpenAPI3 } from 'openapi-typescript';
import { buildDocument } from '../src/openapi/document.ts';

const out = process.argv[2] ?? join(import.meta.dirname, '..', 'src', 'openapi', 'generated.ts');
const nodes = await openapiTS(buildDocument() as unknown as OpenAPI3, { defaultNonNullable: true });
writeFileSync(out, `// Made by npm run generate; do not edit.\n${astToString(nodes)}`);
