import { fileNameProblem } from '@seqpanel/crds/account-rules.ts';
import { fileTypeOf } from '@seqpanel/crds/file-types.ts';

/** Reason why a file is rejected; the key of its text in upload.json. */
export type Refusal = 'format' | 'too_large' | 'name' | 'empty' | 'exists';

export interface FileFacts {
  name: string;
  size: number;
  lastModified: number;
}

export interface BatchInput<F extends FileFacts> {
  chosen: readonly F[];
  /** Names in the project now. */
  inProject: ReadonlySet<string>;
  /** Names of unfinished uploads for the same project. */
  inQueue: ReadonlySet<string>;
  /** Bytes that group and user may still store, less the queued bytes; null means no limit. */
  bytesFree: number | null;
  maxFiles: number;
  maxFileBytes: number;
}

export interface BatchDecision<F> {
  accepted: F[];
  refused: { file: F; reason: Refusal }[];
  /** Selected before, or twice: uploaded once (ERR-48). */
  repeated: F[];
  /** More files than a batch may have: all are rejected (ERR-47). */
  tooMany: boolean;
  /** Files over the quota (ERR-46), with the needed and free bytes. */
  exceeded: { files: F[]; neededBytes: number; freeBytes: number } | undefined;
}

/** Checks a selected batch before any upload starts. Accepts files in order while the quota has room. */
export function checkFiles<F extends FileFacts>(input: BatchInput<F>): BatchDecision<F> {
  const decision: BatchDecision<F> = { accepted: [], refused: [], repeated: [], tooMany: false, exceeded: undefined };
  if (input.chosen.length > input.maxFiles) return { ...decision, tooMany: true };
  const seen = new Set(input.inQueue);
  let free = input.bytesFree ?? Number.POSITIVE_INFINITY;
  const over: F[] = [];
  for (const file of input.chosen) {
    const reason = refusal(file, input);
    if (reason) decision.refused.push({ file, reason });
    else if (seen.has(file.name)) decision.repeated.push(file);
    else if (file.size > free) over.push(file);
    else {
      decision.accepted.push(file);
      seen.add(file.name);
      free -= file.size;
    }
  }
  if (over.length > 0) {
    const neededBytes = over.reduce((sum, file) => sum + file.size, 0);
    decision.exceeded = { files: over, neededBytes, freeBytes: free };
  }
  return decision;
}

function refusal<F extends FileFacts>(file: F, input: BatchInput<F>): Refusal | undefined {
  if (fileTypeOf(file.name) === undefined) return 'format';
  if (fileNameProblem(file.name)) return 'name';
  if (file.size > input.maxFileBytes) return 'too_large';
  if (file.size === 0) return 'empty';
  if (input.inProject.has(file.name)) return 'exists';
  return undefined;
}
