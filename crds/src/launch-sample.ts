/** A sample in the request of launch-task and in stored launches. */

import type { Sample, SampleFile } from './sample.ts';
import { parseFileName, type ReadName } from './sample-grouping.ts';

export interface LaunchSample {
  name: string;
  library_id: string;
  qc_type?: Sample['qcType'];
  role?: Sample['role'];
  control_material?: string | null;
  files: readonly { name: string; read?: ReadName | null; lane?: string | null }[];
  cnv_normal?: boolean;
  tumor_content?: number | string | null;
  well?: string | null;
  i7?: string | null;
  i5?: string | null;
}

/** Takes read and lane from the file name unless the caller sets them. */
export const fromLaunchSample = (sample: LaunchSample): Sample<SampleFile & { read: ReadName }> => ({
  name: sample.name,
  libraryId: sample.library_id,
  qcType: sample.qc_type ?? 'Sample',
  role: sample.role ?? 'germline',
  controlMaterial: sample.control_material || undefined,
  cnvNormal: sample.cnv_normal ?? false,
  tumorContent: contentOf(sample.tumor_content),
  well: sample.well || undefined,
  i7: sample.i7 || undefined,
  i5: sample.i5 || undefined,
  files: sample.files.map(({ name, read, lane }) => {
    const parsed = parseFileName(name);
    return { name, read: read ?? parsed?.read ?? 'R1', lane: (lane ?? parsed?.lane) || undefined };
  }),
});

const contentOf = (value: number | string | null | undefined): number | undefined =>
  value === null || value === undefined || value === '' ? undefined : Number(value);

export const toLaunchSample = (sample: Sample<SampleFile>) => ({
  name: sample.name,
  library_id: sample.libraryId,
  qc_type: sample.qcType,
  role: sample.role,
  ...(sample.controlMaterial && { control_material: sample.controlMaterial }),
  files: sample.files.map(({ name, read, lane }) => ({ name, read: read ?? null, lane: lane ?? null })),
  cnv_normal: sample.cnvNormal,
  tumor_content: sample.tumorContent ?? null,
  ...(sample.well && { well: sample.well }),
  ...(sample.i7 && { i7: sample.i7 }),
  ...(sample.i5 && { i5: sample.i5 }),
});
