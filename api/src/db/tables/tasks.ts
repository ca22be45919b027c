/** Launches, tasks, their samples and step attempts. */
import type { AnalysisTaskSpec, AnalysisTaskStatus, StepStatus } from '@seqpanel/crds/kinds.ts';
import type { Verdict } from '@seqpanel/crds/outputs/qc.ts';
import type { PanelFile } from '@seqpanel/crds/panel.ts';
import type { StageName } from '@seqpanel/crds/step-contract.ts';
import type { components } from '../../openapi/generated.ts';
import type { FrozenIndex, FrozenSampleFile } from '../../storage/frozen-files.ts';

export interface LaunchTable {
  id: string;
  group_id: string;
  user_id: string;
  /** The client's idempotency key. */
  key: string;
  request_hash: string;
  created: Date;
}

export interface FrozenFileTable {
  sha256: string;
  content: Buffer;
}

export type TaskStatus = 'queued' | 'starting' | 'running' | 'completed' | 'aborted' | 'failed';

export interface TaskTable {
  id: string;
  launch_id: string | null;
  group_id: string | null;
  project_id: string | null;
  rerun_of: string | null;
  name: string;
  user_id: string | null;
  username: string | null;
  panel_type_id: string | null;
  panel_value: string;
  panel_name: string;
  panel_sha256: string | null;
  synthetic: boolean;
  analysis_types: PanelFile['analysisTypes'];
  preset_id: string | null;
  preset_name: string;
  preset_version: number | null;
  preset_sha256: string | null;
  pipeline_name: string;
  pipeline_version: string;
  genome: string;
  source: 'fq' | 'bam';
  notify: string[];
  notes: string;
  /** The launch as the wizard sent it; null for a task made with kubectl. */
  definition: components['schemas']['LaunchRequest'] | null;
  spec: AnalysisTaskSpec;
  frozen: FrozenIndex;
  launch_hash: string | null;
  created: Date;
  status: TaskStatus;
  abort_requested: boolean;
  uid: string | null;
  external: boolean;
  vanished: boolean;
  revision: number;
  phase: string | null;
  /** The resource's status. */
  mirror: AnalysisTaskStatus;
  stage: StageName | null;
  stage_number: number;
  attempt: number;
  reason: string | null;
  started: Date | null;
  finished: Date | null;
  samples_total: number;
  samples_done: number;
  samples_failed: number;
  samples_incomplete: number;
  /** Of the annotation that was ingested. */
  bundle: string | null;
  qc_ready: boolean;
  qc_pass: number;
  qc_warn: number;
  qc_fail: number;
  /** controls.json of the QC step. */
  controls: Record<string, unknown> | null;
  /** summary.json of the QC step. */
  qc_summary: Record<string, unknown> | null;
  /** Fingerprint of the results. */
  ingested: string | null;
  results_deleted: Date | null;
  autodelete_date: Date | null;
  /** Name of the AnalysisTask and of its folder; null: the id. */
  resource_name: string | null;
  /** The last resource of this name that belongs to another task. */
  foreign_uid: string | null;
  partial_ingested: Date | null;
  output_bytes: number | null;
  request_id: string | null;
  traceparent: string | null;
}

export interface TaskSampleTable {
  task_id: string;
  idx: number;
  name: string;
  library_id: string;
  qc_type: 'Sample' | 'NTC' | 'PosCtrl' | 'NegCtrl';
  role: 'germline' | 'tumor' | 'normal' | 'control';
  control_material: string | null;
  cnv_normal: boolean;
  tumor_content: number | null;
  well: string | null;
  i7: string | null;
  i5: string | null;
  pair: string | null;
  files: FrozenSampleFile[];
  failure: NonNullable<AnalysisTaskStatus['failures']>[number] | null;
  metrics_ready: boolean;
  variants_ready: boolean;
  variants_all: number;
  variants_called: number;
  variants_kept: number;
  variants_ingested: number;
  qc_status: Verdict | null;
}

export interface TaskResultTable {
  id: string;
  task_id: string;
  step: string;
  attempt: number;
  state: NonNullable<StepStatus['state']>;
  reason: string | null;
  message: string | null;
  job: string | null;
  started: Date | null;
  finished: Date | null;
}
