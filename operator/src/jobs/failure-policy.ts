/** Which failed pods the Job controller starts again by itself; `containerName` is the program's. */

import type { PodFailurePolicyRule } from '@seqpanel/crds/kube/core-types.ts';
import { EXIT_ABORTED, EXIT_BAD_INPUT, EXIT_KILLED } from '@seqpanel/crds/step-contract.ts';

/**
 * A lost node is never counted. Bad input stays bad. A program that was killed or has aborted most likely ran out of memory,
 * and would do so again with the same amount: the operator starts the next attempt, with more (docs/adr/0066).
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
