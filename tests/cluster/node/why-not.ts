/** Finds the reason why the node tier cannot run on this machine. Installs nothing. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { debianTools, missingTools } from '../../../scripts/install.mjs';
import { findBinaries } from '../binaries.ts';
import { LEFT_BY } from './layout.ts';

const CGROUPS = '/sys/fs/cgroup';
const [CAP_NET_ADMIN, CAP_SYS_ADMIN] = [12n, 21n];

/** Returns the reason in one sentence, or undefined when it can run. */
export function whyNoNode(): string | undefined {
  const binaries = findBinaries();
  if ('skipped' in binaries) return binaries.skipped;
  if (process.getuid?.() !== 0) return 'a real node needs root';
  const may = /^CapEff:\s*(\w+)$/m.exec(readFileSync('/proc/self/status', 'utf8'));
  const capabilities = BigInt(`0x${may?.[1] ?? '0'}`);
  if ([CAP_NET_ADMIN, CAP_SYS_ADMIN].some((bit) => !((capabilities >> bit) & 1n)))
    return 'a real node needs a root that may mount and set up networks (a container without privileges may not)';
  const missing = missingTools(debianTools('tests/cluster/node'));
  if (missing.length > 0) return `Debian packages are missing: ${missing.map(([, name]) => name).join(' ')}`;
  if (!existsSync(LEFT_BY) && isNode()) return 'this machine is the node of another Kubernetes';
  return undefined;
}

/** A kubelet puts its pods into the control group kubepods of every hierarchy. */
function isNode(): boolean {
  const places = [CGROUPS, ...readdirSync(CGROUPS).map((name) => join(CGROUPS, name))];
  return places.some((place) => existsSync(join(place, 'kubepods')));
}
