import i18next from 'i18next';
import { componentWord, translateComponents } from './component-words.ts';
import { changeLanguage, startI18n } from './i18n.ts';

beforeAll(async () => {
  await startI18n('zh');
  translateComponents(i18next);
});

test.each([
  ['Close', '关闭'],
  ['Close label group', '移除全部'],
  ['Close BRCA1', '移除 BRCA1'],
  ['Select row 0', '选择第 1 行'],
  ['Danger alert:', '错误：'],
  ['BRCA1', undefined],
])('the component word %s is %s in Chinese', (word, translated) => {
  expect(componentWord(i18next, word)).toBe(translated);
});

test('words that a component adds to the page are replaced, names and English pages are left alone', async () => {
  const add = async (html: string) => {
    document.body.innerHTML = html;
    await new Promise((resolve) => setTimeout(resolve));
    return document.body.innerHTML;
  };
  const alert = '<span class="pf-v6-screen-reader">Info alert:</span><p>Close</p>';
  expect(await add(alert)).toBe('<span class="pf-v6-screen-reader">提示：</span><p>Close</p>');
  expect(await add('<div><button aria-label="Close"></button></div>')).toContain('aria-label="关闭"');
  expect(await add('<a translate="no" aria-label="Close"></a>')).toContain('aria-label="Close"');
  await changeLanguage('en');
  expect(await add(alert)).toBe(alert);
});
