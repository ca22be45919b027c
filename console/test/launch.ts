import type { LaunchAnswer, LaunchRequest, PanelType, PresetInfo } from '../src/queries/launch.ts';
import { buildAdminTask } from './admin.ts';
import type { FakeApi } from './fake-api.ts';
import { buildFile, buildProject } from './projects.ts';
import { fakeApi } from './render-app.tsx';
import { buildTask } from './tasks.ts';

const TIME = '2026-11-01T08:00:00.000Z';
const STORED = { name: 'panel.csv', size: 1_000, sha256: 'ab12'.repeat(16) };
export const PROJECT = buildProject({ files: 6 });
export const PANEL = 'dddddddd-dddd-4ddd-8ddd-dddddddddddd';
export const OTHER_PANEL = 'dddddddd-dddd-4ddd-8ddd-000000000002';

/** A panel that can be launched. */
export function buildPanel(change: Partial<PanelType> = {}): PanelType {
  return {
    id: PANEL,
    display_name: 'Lung panel',
    value: 'lung',
    active: true,
    is_default: false,
    valid: true,
    ready: true,
    problems: [],
    panel_group: 'solid',
    group_list: null,
    genome: 'hg19',
    instance_type: 'large',
    file_extensions: ['.fastq.gz'],
    files: { panel: STORED, control: null, control_data: null, parameters: [] },
    bam_allowed: true,
    synthetic: false,
    amplicons: 12,
    analysis_types: ['tumor-normal'],
    created: TIME,
    modified: TIME,
    version: '1',
    ...change,
  };
}

/** Version 3 of the lung panel's parameters file `strict`. */
export function buildPreset(change: Partial<PresetInfo> = {}): PresetInfo {
  return {
    id: 'eeeeeeee-eeee-4eee-8eee-eeeeeeeeeeee',
    name: 'strict',
    panel: 'lung',
    panel_id: PANEL,
    panel_display_name: 'Lung panel',
    pipeline_version: '1.0.0',
    version: 3,
    owner: 'mei',
    created: TIME,
    modified: TIME,
    ...change,
  };
}

export const FILES = ['N1_S2_L001', 'NTC_S3_L001', 'T1_S1_L001'].flatMap((sample, place) =>
  ['R1', 'R2'].map((read, at) =>
    buildFile(`${sample}_${read}_001.fastq.gz`, { id: `66666666-6666-4666-8666-00000000000${place * 2 + at}` }),
  ),
);

const sampleOf = (name: string, sequenced: string): LaunchRequest['samples'][number] => ({
  name,
  library_id: `lib-${name}`,
  qc_type: 'Sample',
  role: 'germline',
  files: (['R1', 'R2'] as const).map((read) => ({ name: `${sequenced}_${read}_001.fastq.gz`, read, lane: 'L001' })),
  cnv_normal: false,
  skipped: false,
});

/** A tumor with its normal, which is a CNV normal too, and a skipped NTC. */
export function buildDefinition(change: Partial<LaunchRequest> = {}): LaunchRequest {
  return {
    name: 'run-7',
    project: PROJECT.id,
    notify: ['mei@lab.example', 'wu@lab.example'],
    panel: PANEL,
    preset: buildPreset().id,
    samples: [
      { ...sampleOf('T1', 'T1_S1_L001'), role: 'tumor', tumor_content: 12.5 },
      { ...sampleOf('N1', 'N1_S2_L001'), role: 'normal', cnv_normal: true },
      { ...sampleOf('NTC', 'NTC_S3_L001'), role: 'control', qc_type: 'NTC', skipped: true },
    ],
    pairs: [{ name: 'pair-1', tumor: 'T1', normal: 'N1' }],
    ...change,
  };
}

export const LAUNCH = 'POST /api/v1/pivat/*/analysis/launch-task';

/** An api with two panels, a parameters file of each, a project of three samples, and the definition of an earlier task. */
export function launchApi(definition = buildDefinition()): FakeApi {
  const {
    celery_id: _celery,
    workers: _workers,
    ...task
  } = buildAdminTask({ name: definition.name, status: 'queued' });
  const answer: LaunchAnswer = { launch_id: 'ffffffff-ffff-4fff-8fff-ffffffffffff', tasks: [task] };
  return fakeApi()
    .on('GET /api/v1/pivat/*/projects', { count: 1, results: [PROJECT] })
    .on('GET /api/v1/pivat/*/projects/*/filelist', { count: FILES.length, results: FILES })
    .on('GET /api/v1/pivat/*/panel-types', {
      count: 2,
      results: [buildPanel(), buildPanel({ id: OTHER_PANEL, display_name: 'Blood panel', value: 'blood' })],
    })
    .on('GET /api/v1/pivat/*/custom-preset/info', ({ query }) => ({
      count: 1,
      results: [query.get('panel') === 'lung' ? buildPreset() : buildPreset({ panel: 'blood', name: 'blood-default' })],
    }))
    .on('GET /api/v1/pivat/*/task-rerun/*', { allowed: true, refusal: null, warnings: [], definition })
    .on('POST /api/v1/pivat/*/analysis/check-launch', { problems: [] })
    .on(LAUNCH, answer)
    .on('GET /api/v1/pivat/*/tasks/*', buildTask({ name: definition.name }))
    .on('GET /api/v1/pivat/*/tasks', { count: 0, results: [] });
}
