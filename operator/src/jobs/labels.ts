/** Labels of what the operator makes; network policies and the operator's own caches select by them. */

export const OURS = { 'app.kubernetes.io/managed-by': 'seqpanel' } as const;

/** What a pod is for. Only `genome` may reach the network, and only where downloads are allowed. */
export type Component = 'stage' | 'check' | 'genome';

export const componentLabels = (component: Component): Record<string, string> => ({
  ...OURS,
  'app.kubernetes.io/component': component,
});
