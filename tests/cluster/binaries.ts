/** Finds the binaries of the tests' Kubernetes, or the reason to skip tests that need them. */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** Absolute paths. build.sh builds them once, outside of the tree. */
export interface ClusterBinaries {
  etcd: string;
  apiserver: string;
  controllerManager: string;
  scheduler: string;
  kubelet: string;
  kubeProxy: string;
  kubectl: string;
  kwok: string;
  helm: string;
  coredns: string;
}

/** Returns the binaries, or the reason to skip the tests that need them. Never builds. */
export function findBinaries(): ClusterBinaries | { skipped: string } {
  const where = execFileSync(join(import.meta.dirname, 'build.sh'), ['--where'], { encoding: 'utf8' });
  const [k8s, kwok, helm, coredns] = where.trim().split('\n') as [string, string, string, string];
  const binaries = {
    etcd: join(k8s, 'etcd'),
    apiserver: join(k8s, 'kube-apiserver'),
    controllerManager: join(k8s, 'kube-controller-manager'),
    scheduler: join(k8s, 'kube-scheduler'),
    kubelet: join(k8s, 'kubelet'),
    kubeProxy: join(k8s, 'kube-proxy'),
    kubectl: join(k8s, 'kubectl'),
    kwok,
    helm,
    coredns,
  };
  const absent = Object.values(binaries).find((path) => !existsSync(path));
  if (absent) return { skipped: 'Kubernetes is not built: npm run cluster:build -w tests (needs Go)' };
  return binaries;
}

/**
 * `describe` for tests that need the real control plane. Without its binaries the block is reported as skipped, with
 * the reason in its title. The reason is also on stderr, because jest does not show titles of several files.
 */
export function describeOnCluster(title: string, block: (binaries: ClusterBinaries) => void): void {
  const found = findBinaries();
  if ('skipped' in found) describeSkipped(title, found.skipped);
  else describe(title, () => block(found));
}

/** Declares a skipped block with the reason. */
export function describeSkipped(title: string, reason: string): void {
  process.stderr.write(`skipped: ${title}: ${reason}\n`);
  describe.skip(`${title} (skipped: ${reason})`, () => {
    test('needs a real Kubernetes', () => undefined);
  });
}
