/** The CEL rules of the five kinds, each with an object or a change that breaks it. */
import { ANALYSIS_TASK_RULES } from './analysis-task.ts';
import type { BrokenRule } from './broken-rule.ts';
import { GENOME_RULES } from './genome.ts';
import { PANEL_TYPE_RULES } from './panel-type.ts';
import { PIPELINE_RULES } from './pipeline.ts';
import { WORKER_POOL_RULES } from './worker-pool.ts';

export const BROKEN_RULES: Record<string, BrokenRule[]> = {
  AnalysisTask: ANALYSIS_TASK_RULES,
  PanelType: PANEL_TYPE_RULES,
  Pipeline: PIPELINE_RULES,
  Genome: GENOME_RULES,
  WorkerPool: WORKER_POOL_RULES,
};
