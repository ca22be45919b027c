/**
 * The kinds of scale targets in these tests: our own kind with only a `/scale`, and copies of Cluster API's
 * MachineDeployment and Machine (cluster.x-k8s.io/v1beta1) with the used fields. Names, required fields and the paths
 * of the scale are those of Cluster API.
 */
import type { KubeObject } from './kube-http.ts';

const open = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
const text = { type: 'string' };
const number = { type: 'integer', format: 'int32' };
const object = (properties: KubeObject, required?: string[]) => ({
  type: 'object',
  properties,
  ...(required && { required }),
});

function definition(group: string, kind: string, version: string, schema: KubeObject, scale?: KubeObject): KubeObject {
  const singular = kind.toLowerCase();
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${singular}s.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { kind, listKind: `${kind}List`, plural: `${singular}s`, singular },
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          subresources: { status: {}, ...(scale && { scale }) },
          schema: { openAPIV3Schema: object({ metadata: { type: 'object' }, ...schema }) },
        },
      ],
    },
  };
}

const SCALE = { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' };

export const WORKER_TARGETS: KubeObject[] = [
  definition(
    'test.seqpanel.dev',
    'NodeGroup',
    'v1',
    {
      spec: object({ replicas: number, labels: { type: 'object', additionalProperties: text } }),
      status: object({ replicas: number }),
    },
    SCALE,
  ),
  definition(
    'cluster.x-k8s.io',
    'MachineDeployment',
    'v1beta1',
    {
      spec: object({ clusterName: text, replicas: { ...number, default: 1 }, selector: open, template: open }, [
        'clusterName',
        'selector',
        'template',
      ]),
      status: object({ replicas: number, selector: text, phase: text }),
    },
    { ...SCALE, labelSelectorPath: '.status.selector' },
  ),
  definition('cluster.x-k8s.io', 'Machine', 'v1beta1', {
    spec: object({ clusterName: text, bootstrap: open, infrastructureRef: open, providerID: text }, [
      'clusterName',
      'bootstrap',
      'infrastructureRef',
    ]),
    status: object({
      nodeRef: object({ apiVersion: text, kind: text, name: text, uid: text }),
      phase: text,
      addresses: { type: 'array', items: object({ type: text, address: text }, ['type', 'address']) },
    }),
  }),
];

export const NODE_GROUPS = (namespace: string) => `/apis/test.seqpanel.dev/v1/namespaces/${namespace}/nodegroups`;
export const DEPLOYMENTS = (namespace: string) =>
  `/apis/cluster.x-k8s.io/v1beta1/namespaces/${namespace}/machinedeployments`;
export const MACHINES = (namespace: string) => `/apis/cluster.x-k8s.io/v1beta1/namespaces/${namespace}/machines`;
