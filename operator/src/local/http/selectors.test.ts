import { CONFIG_MAP, POD } from '../objects/resources.ts';
import { labelSelector, selectorOf } from './selectors.ts';

describe('selectors', () => {
  test.each([
    ['a=1', { a: '1' }, true],
    ['a==1,b!=2', { a: '1', b: '3' }, true],
    ['a!=1', {}, true],
    ['a in (1, 2)', { a: '2' }, true],
    ['a notin (1,2)', { a: '2' }, false],
    ['a notin (1,2)', {}, true],
    ['seqpanel.dev/task', { 'seqpanel.dev/task': 'x' }, true],
    ['!a', { a: '1' }, false],
    ['!a,b', { b: '1' }, true],
  ])('%s of %j is %s', (text, labels, expected) => {
    expect(labelSelector(text)(labels as Record<string, string>)).toBe(expected);
  });

  test('an invalid selector is rejected', () => {
    for (const text of ['a=(', 'n>3']) expect(() => labelSelector(text)).toThrow('unable to parse requirement');
  });

  test('a field that the kind does not support is rejected', () => {
    expect(() => selectorOf(CONFIG_MAP, null, 'spec.nodeName=n')).toThrow('field label not supported: spec.nodeName');
    const selector = selectorOf(POD, null, 'spec.nodeName=n,metadata.name!=b')!;
    expect(selector({ metadata: { name: 'a' }, spec: { nodeName: 'n' } })).toBe(true);
    expect(selector({ metadata: { name: 'b' }, spec: { nodeName: 'n' } })).toBe(false);
  });
});
