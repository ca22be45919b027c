/** Projects, their files, unfinished uploads and the storage root. */

export interface ProjectTable {
  id: string;
  group_id: string;
  name: string;
  owner_id: string;
  created: Date;
  deleted: Date | null;
}

export interface ProjectFileTable {
  id: string;
  project_id: string;
  name: string;
  type: 'fastq' | 'bam' | 'bai' | 'samplesheet';
  /** Size in bytes. */
  size: number;
  sha256: string;
  owner_id: string;
  created: Date;
  deleted: Date | null;
}

export interface UploadTable {
  id: string;
  project_id: string;
  group_id: string;
  owner_id: string;
  name: string;
  /** In bytes, fixed at creation. */
  size: number;
  created: Date;
  touched: Date;
  /** Set when it is finished. */
  file_id: string | null;
  locked_by: string | null;
  locked_until: Date | null;
  release_asked: boolean;
}

export interface StorageRootTable {
  /** Always true: the table has at most one row. */
  single: boolean;
  id: string;
  created: Date;
}
