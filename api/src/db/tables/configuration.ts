/** Genomes, panel types, pipelines, presets, lookup tables and settings. */
import type { Condition, Pipeline } from '@seqpanel/crds/kinds.ts';
import type { PanelFile } from '@seqpanel/crds/panel.ts';
import type { Preset } from '@seqpanel/crds/preset.ts';
import type { Problem } from '../../errors.ts';
import type { components } from '../../openapi/generated.ts';

/** State of the resource that the row equals. */
export interface ResourceState {
  resource_uid: string | null;
  resource_generation: number | null;
  resource_version: string | null;
  /** When the resource was found deleted. */
  resource_deleted: Date | null;
}

export interface GenomeRow {
  id: string;
  value: string;
  display_name: string;
  active: boolean;
  synthetic: boolean;
  instance_type: string;
  file_extensions: string[];
  source: { path?: string; url?: string; sha256?: string };
  annotation: {
    name: string;
    kind: 'genes' | 'dbsnp' | 'population' | 'clinvar' | 'prediction';
    version: string;
    path: string;
  }[];
  status: { contigs?: components['schemas']['GenomeContig'][]; conditions?: Condition[] };
  created: Date;
  modified: Date;
}

export interface GenomeTable extends GenomeRow, ResourceState {}

export interface StoredFile {
  name: string;
  /** Relative to the storage root. */
  path: string;
  sha256: string;
  /** Size in bytes. */
  size: number;
}

export interface PanelFiles {
  panel: StoredFile;
  control: StoredFile | null;
  control_data: StoredFile | null;
  parameters: StoredFile[];
}

export interface PanelRow {
  id: string;
  value: string;
  display_name: string;
  panel_group: string;
  active: boolean;
  is_default: boolean;
  /** Groups that may use it. Null means all. */
  group_list: string[] | null;
  genome: string;
  instance_type: string;
  file_extensions: string[];
  files: PanelFiles;
  /** The parsed panel file; null if it does not parse. */
  panel: PanelFile | null;
  problems: Problem[];
  status: { conditions?: Condition[] };
  created: Date;
  modified: Date;
}

export interface PanelTypeTable extends PanelRow, ResourceState {}

export interface PipelineRow {
  id: string;
  name: string;
  display_name: string;
  version: string;
  status: 'active' | 'disabled' | 'deleted';
  is_default: boolean;
  conditions: { type: string; status: string; message?: string }[];
  spec: Pipeline['spec'];
  created: Date;
  deleted: Date | null;
}

export interface PipelineTable extends PipelineRow, ResourceState {}

export interface PresetTable {
  id: string;
  group_id: string;
  panel_type_id: string;
  name: string;
  pipeline_version: string;
  content: Preset;
  version: number;
  owner_id: string;
  created: Date;
  modified: Date;
  deleted: Date | null;
}

export interface ListedTypeTable {
  id: string;
  kind: 'data_source' | 'data_type' | 'analysis_type';
  value: string;
  display_name: string;
  instance_type: string;
  file_extensions: string[];
  active: boolean;
  is_default: boolean;
  position: number;
}

export type SettingValue = string | number | boolean;

export interface SettingTable {
  name: string;
  value: SettingValue;
  modified: Date;
}
