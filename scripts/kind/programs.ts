/** Programs that a kind cluster needs: those on PATH, else those built by tests/cluster/build.sh. */

import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { missingTools } from '../install.mjs';

const NAMES = ['docker', 'kind', 'kubectl', 'helm'] as const;
/** Command of each program: a name on PATH, or a path. */
export type Programs = Record<(typeof NAMES)[number], string>;

const BUILD = 'tests/cluster/build.sh';
const ADVICE: Programs = {
  docker: 'install it from https://docs.docker.com/engine/install',
  kind: `install it from https://kind.sigs.k8s.io, or build it with Go: ${BUILD} --kind`,
  kubectl: `install it from https://kubernetes.io/docs/tasks/tools, or build it with Go: ${BUILD}`,
  helm: `install it from https://helm.sh/docs/intro/install, or build it with Go: ${BUILD}`,
};

/** Throws an Error with how to install each missing program. `isThere` accepts a name on PATH or a path. */
export function choosePrograms(built: Partial<Programs>, isThere: (program: string) => boolean): Programs {
  const found = NAMES.map(
    (name) => [name, [name, built[name]].find((program) => program && isThere(program))] as const,
  );
  const missing = found.filter(([, program]) => program === undefined).map(([name]) => `  ${name}: ${ADVICE[name]}`);
  if (missing.length > 0) throw new Error(`Missing programs:\n${missing.join('\n')}`);
  return Object.fromEntries(found) as Programs;
}

export function findPrograms(root: string): Programs {
  const where = execFileSync(join(root, BUILD), ['--where'], { encoding: 'utf8' });
  const [k8s = '', , helm, , kind] = where.trim().split('\n');
  const isThere = (program: string) => missingTools([[program, program]]).length === 0;
  return choosePrograms({ kubectl: join(k8s, 'kubectl'), helm, kind }, isThere);
}
