/** The largest task: 384 samples of 8 files each, with a full status. */
import type { KubeObject } from '../../cluster/kube-http.ts';
import { aTask, collection } from '../builders.ts';
import { makeNamespace, type Server } from '../server.ts';

const NS = 'contract-size';
const TASKS = collection('AnalysisTask', NS);
const LIMIT = 512 * 1024;
const SAMPLES = 384;
const SHA = 'c'.repeat(64);
const name = (i: number) => `Patient-2026-${String(i).padStart(4, '0')}`;

/** Four lanes with two reads each, named as by a sequencer. */
function files(i: number): KubeObject[] {
  return [1, 2, 3, 4].flatMap((lane) =>
    ['R1', 'R2'].map((read) => ({
      name: `${name(i)}_S${i + 1}_L00${lane}_${read}_001.fastq.gz`,
      read,
      lane: `L00${lane}`,
    })),
  );
}

function largest(): KubeObject {
  const samples = Array.from({ length: SAMPLES }, (_, i) => ({
    name: name(i),
    libraryId: `LIB-${name(i)}`,
    qcType: 'Sample',
    role: i % 2 === 0 ? 'tumor' : 'normal',
    files: files(i),
    cnvNormal: i % 2 === 1,
    tumorContent: 40,
    well: 'P24',
    i7: 'ATTACTCGATTACTCG',
    i5: 'AGGCTATAAGGCTATA',
  }));
  const pairs = Array.from({ length: SAMPLES / 2 }, (_, i) => ({
    name: `Pair-${i}`,
    tumor: name(2 * i),
    normal: name(2 * i + 1),
  }));
  return aTask('largest', {
    requestedBy: 'ana',
    genome: 'grch38',
    frozen: SHA,
    queue: 'standard',
    samples,
    pairs,
    notify: ['ana@example.org'],
  });
}

function fullStatus(): KubeObject {
  const time = '2026-01-01T00:00:00Z';
  const long = (length: number) => 'What went wrong, in words. '.repeat(60).slice(0, length);
  const stages = {
    secondary: ['reads', 'cohort', 'call', 'joint'],
    annotation: ['annotation'],
    'post-filter': ['post-filter'],
    qc: ['qc'],
    report: ['report'],
  };
  return {
    phase: 'Failed',
    revision: 123456,
    observedGeneration: 2,
    stage: 'report',
    started: time,
    finished: time,
    stages: Object.entries(stages).map(([stage, steps]) => ({
      name: stage,
      state: 'Failed',
      started: time,
      finished: time,
      steps: steps.map((step) => ({
        name: step,
        job: `0b6f4c1e-0000-4000-8000-000000000001-${step}-1`,
        attempt: 3,
        state: 'Failed',
        started: time,
        finished: time,
        samples: { total: SAMPLES, done: 300, failed: 84 },
        reason: 'FailedIndexes',
        message: long(1024),
      })),
    })),
    samples: { total: SAMPLES, incomplete: 192 },
    failures: Array.from({ length: 20 }, (_, i) => ({
      sample: name(i),
      step: 'reads',
      code: 'fastq_record_broken',
      message: long(256),
      logTail: long(2048),
    })),
    failedSamples: Array.from({ length: SAMPLES / 2 }, (_, i) => 2 * i).join(','),
    conditions: ['Ready', 'Progressing', 'Completed', 'Failed', 'Aborted'].map((type) => ({
      type,
      status: 'False',
      observedGeneration: 2,
      lastTransitionTime: time,
      reason: 'FailedIndexes',
      message: long(1024),
    })),
  };
}

export function sizeContract(server: Server): void {
  test('[K8S-01] [K8S-06] a task of 384 samples with 8 files each and 192 pairs is accepted, and is below 512 KiB with a full status', async () => {
    const { kube } = server();
    await makeNamespace(kube, NS);
    await kube.create(TASKS, largest());
    await kube.merge(`${TASKS}/largest/status`, { status: fullStatus() });
    await kube.merge(`${TASKS}/largest`, { metadata: { annotations: { 'seqpanel.dev/ingested': SHA } } });
    const stored = await kube.merge(`${TASKS}/largest`, { spec: { abort: true } });
    const bytes = Buffer.byteLength(JSON.stringify(stored));
    const managed = Buffer.byteLength(JSON.stringify(stored.metadata.managedFields ?? ''));
    console.info(
      `the largest task: ${Math.round(bytes / 1024)} KiB stored, ${Math.round(managed / 1024)} KiB of it managedFields`,
    );
    expect(stored.status.failures).toHaveLength(20);
    expect(bytes).toBeLessThan(LIMIT);
  });
}
