/** A row of `task` with only the required columns. */
export const aTaskRow = <T extends object>(id: string, more: T) => ({
  id,
  group_id: null,
  name: id,
  panel_value: 'p',
  panel_name: 'p',
  preset_name: 'd',
  pipeline_name: 'p',
  pipeline_version: '1',
  source: 'fq' as const,
  spec: '{}',
  ...more,
});
