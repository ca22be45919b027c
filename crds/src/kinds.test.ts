import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { API_VERSION, PLURALS } from './kinds.ts';
import { STAGES } from './step-contract.ts';

const FOLDER = join(import.meta.dirname, '..', 'yaml');
// biome-ignore lint/suspicious/noExplicitAny: schemas are walked
type Node = any;
const definitions: Node[] = readdirSync(FOLDER).map((name) => parse(readFileSync(join(FOLDER, name), 'utf8')));
const schemaOf = ({ spec }: Node) => spec.versions[0].schema.openAPIV3Schema;

/** Returns every field below spec and status with its path. */
function fields(node: Node, path: string): [string, Node][] {
  const children = Object.entries(node.properties ?? {}).flatMap(([name, child]) => fields(child, `${path}.${name}`));
  const items = node.items ? fields(node.items, `${path}[]`) : [];
  return [[path, node], ...children, ...items];
}

describe.each(definitions.map((definition) => [definition.spec.names.kind as string, definition] as const))(
  'the kind %s',
  (kind, definition) => {
    const schema = schemaOf(definition);
    const all = ['spec', 'status'].flatMap((part) => fields(schema.properties[part], part));

    test('has the plural and version that API paths use', () => {
      expect(definition.metadata.name).toBe(`${PLURALS[kind as keyof typeof PLURALS]}.seqpanel.dev`);
      expect(`${definition.spec.group}/${definition.spec.versions[0].name}`).toBe(API_VERSION);
      expect(definition.spec.versions[0].subresources).toEqual({ status: {} });
    });

    test('describes every field, for kubectl explain', () => {
      const undescribed = all.filter(
        ([path, node]) => !path.endsWith('[]') && !/^[A-Z].*\.$/s.test((node.description ?? '').replace(/^[a-z]/, 'A')),
      );
      expect(undescribed.map(([path]) => path)).toEqual([]);
    });

    test('limits every string, list and map, and sets how each list is merged', () => {
      const loose = all.filter(([, node]) => {
        if (node.type === 'string') return !(node.maxLength || node.enum || node.format === 'date-time');
        if (node.type === 'array') return !node.maxItems || !node['x-kubernetes-list-type'];
        if (node.additionalProperties) return !node.maxProperties;
        return node.type === 'object' && !node.properties;
      });
      expect(loose.map(([path]) => path)).toEqual([]);
    });

    test('gives every rule its own message', () => {
      const rules = fields(schema, kind).flatMap(([, node]) => node['x-kubernetes-validations'] ?? []);
      for (const { rule, message } of rules) expect([rule, message]).toEqual([rule, expect.stringMatching(/\S.{8,}/)]);
    });
  },
);

test('[K8S-17] tasks and pipelines have the five stages of the contract, in order', () => {
  for (const [kind, part] of [
    ['Pipeline', 'spec'],
    ['AnalysisTask', 'status'],
  ] as const) {
    const definition = definitions.find(({ spec }) => spec.names.kind === kind);
    const stages = schemaOf(definition).properties[part].properties.stages;
    expect(stages.items.properties.name.enum).toEqual(STAGES);
    expect(stages.maxItems).toBe(STAGES.length);
  }
});
