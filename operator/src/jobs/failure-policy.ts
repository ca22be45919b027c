/** Which failed pods the Job controller restarts. `containerName` is the container of the program. */

import type { PodFailurePolicyRule } from '@seqpanel/crds/kube/core-types.ts';
import { EXIT_ABORTED, EXIT_BAD_INPUT, EXIT_KILLED } from '@seqpanel/crds/step-contract.ts';

/**
 * A lost node never counts. Bad input stays bad. A killed or aborted program most likely ran out of memory and would fail
 * again with the same amount, so the operator starts the next attempt with more (docs/adr/0066).
 */
export const FAILURE_POLICY: { rules: PodFailurePolicyRule[] } = {
  rules: [
    { action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }] },
    {
      action: 'FailIndex',
      onExitCodes: {
        containerName: 'step',
        operator: 'In',
        values: [EXIT_BAD_INPUT, EXIT_ABORTED, EXIT_KILLED],
      },
    },
  ],
};
