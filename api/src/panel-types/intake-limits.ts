/** How large the files of a panel type may be, by the part of the form or, in a tarball, by what a name says. */
import { AppError, Invalid } from '../errors.ts';
import type { UploadedFile } from '../feature.ts';
import type { FileRole } from './intake.ts';

const MB = 1024 * 1024;

/** Files are checked in memory, so all of one call together have a limit too. */
export const INTAKE_MAX_BYTES = 64 * MB;
/** Bytes of a tarball that are no files: 1 kB an entry. More is padding, which costs time alone. */
export const TARBALL_OVERHEAD_BYTES = MB;
/** A panel's tarball holds a handful of files. */
export const TARBALL_MAX_FILES = 120;

const ROLE_MAX_BYTES: Readonly<Record<FileRole, number>> = {
  panel: 20 * MB,
  control: 5 * MB,
  control_data: INTAKE_MAX_BYTES,
  // As a preset that is saved by its own call (`x-max-body`).
  parameters: 12 * MB,
  unknown: 5 * MB,
};
/** BED and BEDPE files that a panel file is made of. */
const DESIGN_MAX_BYTES = ROLE_MAX_BYTES.panel;

/** The part of a form that holds a tarball. */
export const TARBALL = 'panel_tarball';

const PARTS: Readonly<Record<string, FileRole | 'tarball'>> = {
  panel_file: 'panel',
  control_file: 'control',
  control_data_file: 'control_data',
  parameter_files: 'parameters',
  upload_parameter_files: 'parameters',
  [TARBALL]: 'tarball',
};

/** The role of a form's file. Throws form_part_unknown for a part that takes no file. */
export function roleOfPart({ part }: UploadedFile): FileRole | 'tarball' {
  const role = Object.hasOwn(PARTS, part) ? PARTS[part] : undefined;
  if (role === undefined) throw new Invalid('form_part_unknown', { part });
  return role;
}

/** Throws form_file_too_large for a file, form_files_too_large for all of the call so far, over their limits. */
export function checkSize(role: FileRole, name: string, bytes: number, bytesInAll: number): void {
  refuse(name, bytes, ROLE_MAX_BYTES[role]);
  if (bytesInAll > INTAKE_MAX_BYTES) throw new AppError(413, 'form_files_too_large', { limit: INTAKE_MAX_BYTES / MB });
}

/** Checks all files of a form by what the form says of them, before one of them is read. */
export function checkFormSizes(files: readonly UploadedFile[]): void {
  let inAll = 0;
  for (const file of files) {
    const role = roleOfPart(file);
    inAll += file.size;
    // A tarball holds control data beside the rest, and compressed it is no larger than what it unpacks to.
    checkSize(role === 'tarball' ? 'control_data' : role, file.name, file.size, inAll);
  }
}

/** Checks the files of an imported design: of any part, but no more than the two that it may take. */
export function checkDesignSizes(files: readonly UploadedFile[]): void {
  if (files[2]) throw new Invalid('form_part_unknown', { part: files[2].part });
  for (const { name, size } of files) refuse(name, size, DESIGN_MAX_BYTES);
}

function refuse(file: string, bytes: number, limit: number): void {
  if (bytes > limit) throw new AppError(413, 'form_file_too_large', { file, limit: limit / MB });
}
