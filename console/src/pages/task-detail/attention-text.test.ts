import { changeLanguage, startI18n } from '../../i18n/i18n.ts';
import { attentionText } from './attention-text.ts';

const shallow = {
  code: 'qc_failed' as const,
  params: { sample: 'S2', metric: 'mean_depth', value: 12, operator: '>=', limit: 50 },
  message: 'mean_depth 12; >= 50',
};
const swapped = { code: 'pair_mismatch' as const, params: { pair: 'p1' }, message: 'p1' };

test('a failed metric is shown in the language of the page, with its limit', async () => {
  const { t } = await startI18n('en');
  expect(attentionText(t, shallow)).toBe('Sample S2 fails QC: Mean depth (×) is 12, required >= 50');
  await changeLanguage('zh');
  expect(attentionText(t, shallow)).toMatch(/^样本 S2 质控不合格/);
});

test('a pair that does not match is shown by name', async () => {
  const { t } = await startI18n('en');
  expect(attentionText(t, swapped)).toBe('Pair p1 does not match by genotype');
});

test('a metric that was not measured has a dash as value', async () => {
  const { t } = await startI18n('en');
  expect(attentionText(t, { ...shallow, params: { ...shallow.params, value: null } })).toContain('is –, required');
});
