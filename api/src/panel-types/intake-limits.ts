/** Size limits of a panel type's files, by form part or, in a tarball, by file name. */
import { AppError, Invalid } from '../errors.ts';
import type { UploadedFile } from '../feature.ts';

const MB = 1024 * 1024;

/** Limit of all files of a call, because they are checked in memory. */
export const INTAKE_MAX_BYTES = 64 * MB;
/** Non-file bytes of a tarball: 1 kB per entry. More is padding, which only costs time. */
export const TARBALL_OVERHEAD_BYTES = MB;
/** A panel's tarball holds only a few files. */
export const TARBALL_MAX_FILES = 120;

export type FileRole = 'panel' | 'control' | 'control_data' | 'parameters' | 'unknown';

const ROLE_MAX_BYTES: Readonly<Record<FileRole, number>> = {
  panel: 20 * MB,
  control: 5 * MB,
  control_data: INTAKE_MAX_BYTES,
  // Same as for a preset saved by its own call (`x-max-body`).
  parameters: 12 * MB,
  unknown: 5 * MB,
};
/** Limit of BED and BEDPE files that a panel file is imported from. */
const DESIGN_MAX_BYTES = ROLE_MAX_BYTES.panel;

/** Form part of a tarball. */
export const TARBALL = 'panel_tarball';

const PARTS: Readonly<Record<string, FileRole | 'tarball'>> = {
  panel_file: 'panel',
  control_file: 'control',
  control_data_file: 'control_data',
  parameter_files: 'parameters',
  upload_parameter_files: 'parameters',
  [TARBALL]: 'tarball',
};

/** Returns the role of a form's file. Throws form_part_unknown for a part that accepts no file. */
export function roleOfPart({ part }: UploadedFile): FileRole | 'tarball' {
  const role = Object.hasOwn(PARTS, part) ? PARTS[part] : undefined;
  if (role === undefined) throw new Invalid('form_part_unknown', { part });
  return role;
}

/**
 * Throws form_file_too_large over the limit of one file, form_files_too_large over the limit of all files of the call.
 */
export function checkSize(role: FileRole, name: string, bytes: number, bytesInAll: number): void {
  refuse(name, bytes, ROLE_MAX_BYTES[role]);
  if (bytesInAll > INTAKE_MAX_BYTES) throw new AppError(413, 'form_files_too_large', { limit: INTAKE_MAX_BYTES / MB });
}

/** Checks the declared sizes of all files of a form before any is read. */
export function checkFormSizes(files: readonly UploadedFile[]): void {
  let inAll = 0;
  for (const file of files) {
    const role = roleOfPart(file);
    inAll += file.size;
    // Uses the limit of control data, the largest role, because a compressed tarball is no larger than its content.
    checkSize(role === 'tarball' ? 'control_data' : role, file.name, file.size, inAll);
  }
}

/** Checks the files of an imported design: at most two, from any part. */
export function checkDesignSizes(files: readonly UploadedFile[]): void {
  if (files[2]) throw new Invalid('form_part_unknown', { part: files[2].part });
  for (const { name, size } of files) refuse(name, size, DESIGN_MAX_BYTES);
}

function refuse(file: string, bytes: number, limit: number): void {
  if (bytes > limit) throw new AppError(413, 'form_file_too_large', { file, limit: limit / MB });
}
