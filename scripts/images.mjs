// npm run images: builds the container images. Installs what is missing, then starts scripts/images/main.ts.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { buildConsole } from './console-build.mjs';
import { installPackages, NODE, ROOT, requireNode20 } from './install.mjs';

requireNode20();
installPackages();
buildConsole();
const done = spawnSync(
  NODE,
  ['--disable-warning=ExperimentalWarning', join(ROOT, 'scripts', 'images', 'main.ts'), ...process.argv.slice(2)],
  { stdio: 'inherit' },
);
process.exit(done.status ?? 1);
