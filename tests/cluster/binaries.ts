/** Where the binaries of the tests' Kubernetes lie, and why tests that need them may have to be skipped. */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** Absolute paths; build.sh has made them once, outside the tree. */
export interface ClusterBinaries {
  etcd: string;
  apiserver: string;
  controllerManager: string;
  scheduler: string;
  kubectl: string;
  kwok: string;
}

/** The binaries, or the reason for which the tests that need them are skipped; never builds. */
export function findBinaries(): ClusterBinaries | { skipped: string } {
  const [k8s, kwok] = execFileSync(join(import.meta.dirname, 'build.sh'), ['--where'], { encoding: 'utf8' })
    .trim()
    .split('\n') as [string, string];
  const binaries = {
    etcd: join(k8s, 'etcd'),
    apiserver: join(k8s, 'kube-apiserver'),
    controllerManager: join(k8s, 'kube-controller-manager'),
    scheduler: join(k8s, 'kube-scheduler'),
    kubectl: join(k8s, 'kubectl'),
    kwok: join(kwok, 'kwok'),
  };
  const absent = Object.values(binaries).find((path) => !existsSync(path));
  if (absent) return { skipped: 'the control plane is not built: npm run cluster:build -w tests (needs Go)' };
  return binaries;
}

/**
 * `describe` for what needs the real control plane. Where its binaries are missing the block is reported as skipped,
 * with the reason in its title and, because jest does not show titles of several files, on stderr.
 */
export function describeOnCluster(title: string, block: (binaries: ClusterBinaries) => void): void {
  const found = findBinaries();
  if ('skipped' in found) {
    process.stderr.write(`skipped: ${title}: ${found.skipped}\n`);
    describe.skip(`${title} (skipped: ${found.skipped})`, () => {
      test('needs the real control plane', () => undefined);
    });
  } else {
    describe(title, () => block(found));
  }
}
