// npm run kind -- up [--image NODE_IMAGE] [--config FILE] | test | down: the product on a kind cluster, see
// scripts/kind.
import { join } from 'node:path';
import { handOver, prepareNode } from './hand-over.mjs';
import { ROOT } from './install.mjs';

prepareNode();
handOver(join(ROOT, 'scripts', 'kind', 'main.ts'), process.argv.slice(2));
