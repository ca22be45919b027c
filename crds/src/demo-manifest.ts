/** demo.json, written by `seqpanel-demo --out DIR` to DIR. Paths are relative to DIR. */
export interface DemoManifest {
  schema_version: 1;
  genome: {
    displayName: string;
    value: string;
    /** FASTA, plain or bgzip. */
    fasta: string;
    annotation: {
      name: string;
      kind: 'genes' | 'dbsnp' | 'population' | 'clinvar' | 'prediction';
      version: string;
      path: string;
    }[];
  };
  panel: { displayName: string; value: string; file: string; control?: string };
  samples: {
    name: string;
    libraryId: string;
    qcType: 'NTC' | 'NegCtrl' | 'PosCtrl' | 'Sample';
    role: 'germline' | 'tumor' | 'normal' | 'control';
    controlMaterial?: string;
    tumorContent?: number;
    files: { path: string; read: 'R1' | 'R2' | 'bam' | 'bai'; lane?: string }[];
  }[];
  pairs: { name: string; tumor: string; normal: string }[];
  /** truth.json: planted variants by sample name. pos is 1-based, vaf a fraction. */
  truth: string;
}
