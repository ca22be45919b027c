/** Records all Jobs that ever existed, for the checks that count them. */
import { setTimeout as wait } from 'node:timers/promises';
import type { KubeHttp } from '../../cluster/kube-http.ts';

/** Records the uid of every Job of a namespace under its name, until the returned function is called. */
export function followJobs(kube: KubeHttp, namespace: string, jobs: Map<string, Set<string>>): () => void {
  const path = `/apis/batch/v1/namespaces/${namespace}/jobs`;
  let stopped = false;
  let watch: ReturnType<KubeHttp['watch']> | undefined;
  const note = ({ metadata }: { metadata: { name: string; uid: string } }) =>
    jobs.set(metadata.name, (jobs.get(metadata.name) ?? new Set()).add(metadata.uid));
  void (async () => {
    while (!stopped) {
      try {
        const { items, metadata } = await kube.get(path);
        items.forEach(note);
        watch = kube.watch(`${path}?watch=true&resourceVersion=${metadata.resourceVersion}`);
        for await (const { type, object } of watch.events) if (type === 'ADDED') note(object);
      } catch {
        // the API server is unreachable, which may be the fault
      }
      await wait(200);
    }
  })();
  return () => {
    stopped = true;
    watch?.stop();
  };
}
