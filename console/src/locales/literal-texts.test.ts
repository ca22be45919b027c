import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from '@swc/core';

/** Names, units and terms that are the same in every language. */
const SAME = new Set([
  'SeqPanel',
  'UTC',
  'PASS',
  'IGV',
  'REF',
  'ALT',
  'SNV',
  'bp',
  'GB',
  'FASTQ',
  'BAM',
  'NTC',
  'HGVS',
  'SHA-256',
]);

/** Properties of elements whose text a user sees or hears. */
const SHOWN =
  /^(aria-(label|description|valuetext|roledescription)|title|titleText|label|alt|placeholder|categoryName|toggleText|.*AriaLabel)$/;

type Tree = { type?: string; [key: string]: unknown };

/** Returns the words of a text that are not the same in every language. */
const words = (text: string): string[] => (text.match(/\p{L}[\p{L}\d-]+/gu) ?? []).filter((word) => !SAME.has(word));

/** Returns the texts that an expression may become: the literals of its branches and template. */
function literals(node: Tree | undefined): string[] {
  if (!node) return [];
  const of = (key: string) => literals(node[key] as Tree | undefined);
  if (node.type === 'StringLiteral') return [String(node['value'])];
  if (node.type === 'TemplateLiteral') return (node['quasis'] as { raw: string }[]).map(({ raw }) => raw);
  if (node.type === 'JSXExpressionContainer' || node.type === 'ParenthesisExpression') return of('expression');
  if (node.type === 'ConditionalExpression') return [...of('consequent'), ...of('alternate')];
  if (node.type === 'BinaryExpression' && /^(&&|\|\||\?\?|\+)$/.test(String(node['operator'])))
    return [...(node['operator'] === '&&' ? [] : of('left')), ...of('right')];
  return [];
}

const nameOf = ({ name }: Tree): string => {
  const { value, namespace, name: local } = name as { value?: string; namespace?: Tree; name?: Tree };
  return value ?? `${namespace?.['value']}:${local?.['value']}`;
};

const isUntranslated = (attributes: Tree[]): boolean =>
  attributes.some(
    (attribute) =>
      attribute.type === 'JSXAttribute' &&
      nameOf(attribute) === 'translate' &&
      literals(attribute['value'] as Tree).includes('no'),
  );

/** Returns the texts that a source shows without a locale file. */
function literalTexts(source: string): string[] {
  const found: string[] = [];
  const note = (texts: string[]) =>
    found.push(...texts.map((text) => text.trim()).filter((text) => words(text).length));
  const visit = (node: unknown): void => {
    if (Array.isArray(node)) for (const inner of node) visit(inner);
    if (typeof node !== 'object' || node === null || Array.isArray(node)) return;
    const tree = node as Tree;
    if (tree.type === 'JSXElement') {
      const { attributes } = tree['opening'] as { attributes: Tree[] };
      for (const attribute of attributes)
        if (attribute.type === 'JSXAttribute' && SHOWN.test(nameOf(attribute)))
          note(literals(attribute['value'] as Tree));
      if (!isUntranslated(attributes)) noteChildren(tree['children'] as Tree[]);
    }
    if (tree.type === 'KeyValueProperty' && SHOWN.test(String((tree['key'] as Tree)['value'])))
      note(literals(tree['value'] as Tree));
    if (tree.type === 'JSXFragment') noteChildren(tree['children'] as Tree[]);
    for (const value of Object.values(tree)) visit(value);
  };
  const noteChildren = (children: Tree[]) => {
    for (const child of children) {
      if (child.type === 'JSXText') note([String(child['value'])]);
      if (child.type === 'JSXExpressionContainer') note(literals(child));
    }
  };
  visit(parseSync(source, { syntax: 'typescript', tsx: true }).body);
  return found;
}

describe('texts in the sources', () => {
  test('literal texts are found between tags, in expressions and in properties', () => {
    expect(
      literalTexts('const a = <p title="Your file">{isOpen ? "Close it" : t("x")} of {n} MB <b>{`rows`}</b></p>'),
    ).toEqual(['Your file', 'Close it', 'of', 'MB', 'rows']);
    expect(literalTexts("const column = { key: 'date', title: 'Start date' }")).toEqual(['Start date']);
    expect(literalTexts('const a = <p id="main" className="sp-wide">SeqPanel {t("a.b")} · 3 %</p>')).toEqual([]);
    expect(literalTexts('const a = <code translate="no">seqpanel.dev</code>')).toEqual([]);
  });

  test('[I18N-01] no page shows a text that is not in the locale files', () => {
    const root = join(__dirname, '..');
    const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter(
      (file) => file.endsWith('.tsx') && !file.includes('.test.'),
    );
    expect(files.length).toBeGreaterThan(80);
    const found = files.flatMap((file) =>
      literalTexts(readFileSync(join(root, file), 'utf8')).map((text) => `${file}: ${text}`),
    );
    expect(found).toEqual([]);
  });
});
