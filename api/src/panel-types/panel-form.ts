/** Converts the fields of the multipart form, which are all text, to values (group_list is JSON). */
import { Invalid } from '../errors.ts';
import type { Call } from '../feature.ts';

export interface PanelFields {
  display_name?: string;
  genome?: string;
  panel_group?: string;
  active?: boolean;
  is_default?: boolean;
  group_list?: string[] | null;
  instance_type?: string;
  file_extensions?: string[];
}

export interface PanelForm {
  value: string | undefined;
  fields: PanelFields;
  /** Whether to store the parameter files of this call. Default: true if it has any. */
  storeParameters: boolean;
  overwrite: boolean;
  /** Version of the row that the caller changes. */
  version?: string;
}

/** Throws panel_form_invalid with the name of the field. */
export function readPanelForm(body: Call<'createPanelType'>['body']): PanelForm {
  const fields: PanelFields = {};
  if (body.display_name !== undefined) fields.display_name = body.display_name.trim();
  if (body.genome !== undefined) fields.genome = body.genome.trim();
  if (body.panel_group !== undefined) fields.panel_group = body.panel_group.trim();
  if (body.instance_type !== undefined) fields.instance_type = body.instance_type.trim();
  if (body.active !== undefined) fields.active = body.active === 'true';
  if (body.is_default !== undefined) fields.is_default = body.is_default === 'true';
  if (body.group_list !== undefined) {
    const groups = textsOf(body.group_list, 'group_list', /^[0-9a-f-]{36}$/i);
    fields.group_list = groups.length > 0 ? groups.map((id) => id.toLowerCase()) : null;
  }
  if (body.file_extensions !== undefined) {
    fields.file_extensions = textsOf(body.file_extensions, 'file_extensions', /^[A-Za-z0-9.]{1,16}$/);
  }
  return {
    value: body.value?.trim(),
    fields,
    storeParameters: body.upload_parameter_files !== 'false',
    overwrite: body.overwrite === 'true',
    ...(body.version !== undefined && { version: body.version.trim() }),
  };
}

function textsOf(json: string, field: string, each: RegExp): string[] {
  if (json.trim() === '') return [];
  let list: unknown;
  try {
    list = JSON.parse(json);
  } catch (cause) {
    throw new Invalid('panel_form_invalid', { field }, { cause });
  }
  if (list === null) return [];
  if (!Array.isArray(list) || !list.every((item) => typeof item === 'string' && each.test(item))) {
    throw new Invalid('panel_form_invalid', { field });
  }
  return list;
}
