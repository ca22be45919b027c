/** The tools that the pipeline runs, apart from the packages of the web part. Versions stand in each task's results. */
export const PIPELINE_TOOLS = [
  { name: 'fastp', license: 'MIT', use: 'reads' },
  { name: 'minimap2', license: 'MIT', use: 'alignment' },
  { name: 'bwa', license: 'GPL-3.0', use: 'alignment' },
  { name: 'samtools', license: 'MIT', use: 'alignment' },
  { name: 'bcftools', license: 'MIT', use: 'variants' },
  { name: 'htslib', license: 'MIT', use: 'alignment' },
  { name: 'freebayes', license: 'MIT', use: 'variants' },
  { name: 'mosdepth', license: 'MIT', use: 'coverage' },
  { name: 'bedtools', license: 'MIT', use: 'coverage' },
  { name: 'snpEff', license: 'LGPL-3.0 or MIT', use: 'annotation' },
] as const;
