/** Labels of the objects that the operator creates. Network policies and the operator's caches select by them. */

export const OURS = { 'app.kubernetes.io/managed-by': 'seqpanel' } as const;

/** Purpose of a pod. Only `genome` may reach the network, and only where downloads are allowed. */
export type Component = 'stage' | 'check' | 'genome';

export const componentLabels = (component: Component): Record<string, string> => ({
  ...OURS,
  'app.kubernetes.io/component': component,
});
