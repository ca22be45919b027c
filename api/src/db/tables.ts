/** Every table with the type of its rows as pg returns them. Knex reads the types of `db('task')` from here. */
import type { Knex } from 'knex';
import type * as accounts from './tables/accounts.ts';
import type * as background from './tables/background.ts';
import type * as configuration from './tables/configuration.ts';
import type * as files from './tables/files.ts';
import type * as results from './tables/results.ts';
import type * as tasks from './tables/tasks.ts';
import type * as variants from './tables/variants.ts';

/** A row for insert and update. Objects are JSON text, because pg would write an array as an SQL array. */
type Written<Row> = {
  [Column in keyof Row]?: Row[Column] | Knex.Raw | (Extract<Row[Column], object> extends never ? never : string);
};

type Table<Row extends object> = Knex.CompositeTableType<Row, Written<Row>, Written<Row>>;

declare module 'knex/types/tables.js' {
  interface Tables {
    allele: Table<variants.AlleleTable>;
    allele_annotation: Table<variants.AlleleAnnotationTable>;
    allele_count: Table<results.AlleleCountTable>;
    app_user: Table<accounts.AppUserTable>;
    audit_log: Table<accounts.AuditLogTable>;
    call: Table<variants.CallTable>;
    call_evidence: Table<variants.CallEvidenceTable>;
    consequence: Table<variants.ConsequenceTable>;
    frozen_file: Table<tasks.FrozenFileTable>;
    genome: Table<configuration.GenomeTable>;
    ingest: Table<results.IngestTable>;
    ingest_turn: Table<background.IngestTurnTable>;
    job: Table<background.JobTable>;
    launch: Table<tasks.LaunchTable>;
    listed_type: Table<configuration.ListedTypeTable>;
    login_address: Table<accounts.LoginAddressTable>;
    login_attempt: Table<accounts.LoginAttemptTable>;
    login_failure: Table<accounts.LoginFailureTable>;
    membership: Table<accounts.MembershipTable>;
    observed_allele: Table<results.ObservedAlleleTable>;
    observed_specimen: Table<results.ObservedSpecimenTable>;
    outbox: Table<background.OutboxTable>;
    outbox_turn: Table<background.OutboxTurnTable>;
    pair_check: Table<results.PairCheckTable>;
    panel_type: Table<configuration.PanelTypeTable>;
    periodic_work: Table<background.PeriodicWorkTable>;
    pipeline: Table<configuration.PipelineTable>;
    preset: Table<configuration.PresetTable>;
    project: Table<files.ProjectTable>;
    project_file: Table<files.ProjectFileTable>;
    refresh_token: Table<accounts.RefreshTokenTable>;
    review: Table<results.ReviewTable>;
    sample_depth: Table<results.SampleDepthTable>;
    sample_metric: Table<results.SampleMetricTable>;
    sample_result: Table<results.SampleResultTable>;
    sample_verdict: Table<results.SampleVerdictTable>;
    session: Table<accounts.SessionTable>;
    setting: Table<configuration.SettingTable>;
    specimen_count: Table<results.SpecimenCountTable>;
    storage_root: Table<files.StorageRootTable>;
    task: Table<tasks.TaskTable>;
    task_result: Table<tasks.TaskResultTable>;
    task_sample: Table<tasks.TaskSampleTable>;
    upload: Table<files.UploadTable>;
    user_group: Table<accounts.UserGroupTable>;
    worker: Table<background.WorkerTable>;
    worker_pool: Table<background.WorkerPoolTable>;
    worker_pool_sample: Table<background.WorkerPoolSampleTable>;
  }
}
