import { writeFileSync } from 'node:fs';
import {
  TERMINATION_LOG_DEFAULT,
  TERMINATION_LOG_ENV,
  TERMINATION_MESSAGE_MAX_BYTES,
  type TerminationMessage,
} from '@seqpanel/crds/step-contract.ts';

const MESSAGE_MAX = 256;
const cut = (text: string): string => (text.length > MESSAGE_MAX ? `${text.slice(0, MESSAGE_MAX - 1)}…` : text);

/** Returns the message as JSON of at most 4 KiB: truncates texts to 256 characters, then drops failed samples from the end. */
export function formatTermination(message: TerminationMessage, extra: Readonly<Record<string, unknown>> = {}): string {
  const failed = (message.failed ?? []).map((one) => ({ ...one, message: cut(one.message) }));
  for (let keep = failed.length; ; keep--) {
    const text = JSON.stringify({
      outcome: message.outcome,
      code: message.code,
      message: message.message === undefined ? undefined : cut(message.message),
      failed: failed.length === 0 ? undefined : failed.slice(0, keep),
      ...extra,
    });
    if (Buffer.byteLength(text) <= TERMINATION_MESSAGE_MAX_BYTES) return text;
    if (keep > 0) continue;
    return JSON.stringify({ outcome: message.outcome, code: message.code ?? 'message_too_long' });
  }
}

/** Writes the message to the path that Kubernetes or the local runner reads. Outside a container the path may not exist. */
export function writeTermination(text: string, env: NodeJS.ProcessEnv): void {
  try {
    writeFileSync(env[TERMINATION_LOG_ENV] ?? TERMINATION_LOG_DEFAULT, text);
  } catch (error) {
    if (env[TERMINATION_LOG_ENV] !== undefined) throw error;
  }
}
