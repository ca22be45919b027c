/**
 * Objects that each break one limit of a spec's schema. Derived from the schema, so that new fields are covered.
 * Starts from the full objects of builders.ts, which have every field.
 */
import type { KubeObject } from '../../cluster/kube-http.ts';

export interface Broken {
  kind: string;
  /** The broken limit, as `spec.name: pattern`. */
  what: string;
  object: KubeObject;
  /** Expected part of the error message. */
  expected: string;
}

type Path = (string | number)[];

const shown = (path: Path) =>
  path.map((part, i) => (typeof part === 'number' ? `[${part}]` : `${i ? '.' : ''}${part}`)).join('');

function withValue(object: KubeObject, path: Path, value: unknown): KubeObject {
  const copy = structuredClone(object);
  let at = copy;
  for (const part of path.slice(0, -1)) at = at[part];
  if (value === undefined) delete at[path.at(-1)!];
  else at[path.at(-1)!] = value;
  return copy;
}

/** Returns one object for each limit below `spec` of a kind's schema. */
export function brokenObjects(kind: string, schema: KubeObject, full: (name: string) => KubeObject): Broken[] {
  const object = full('broken');
  const found: Broken[] = [];
  const add = (path: Path, rule: string, value: unknown, message: string) =>
    found.push({
      kind,
      what: `${shown(path)}: ${rule}`,
      object: withValue(object, path, value),
      expected: `${shown(path)}: ${message}`,
    });

  const walk = (node: KubeObject, path: Path, value: KubeObject): void => {
    if (value === undefined) throw new Error(`the full ${kind} has no ${shown(path)}`);
    const at = shown(path);
    const wrong = node.type === 'string' ? 7 : 'wrong';
    const types = {
      integer: 'integer',
      number: 'number',
      string: 'string',
      boolean: 'boolean',
      object: 'object',
      array: 'array',
    } as const;
    add(
      path,
      'type',
      wrong,
      `Invalid value: "${node.type === 'string' ? 'integer' : 'string'}": ${at} in body must be of type ${types[node.type as keyof typeof types]}`,
    );
    if (node.pattern) add(path, 'pattern', '!', `Invalid value: "!": ${at} in body should match '${node.pattern}'`);
    if (node.enum) {
      const values = [...node.enum].map((v: string) => `"${v}"`).join(', ');
      add(path, 'enum', 'Nonsense', `Unsupported value: "Nonsense": supported values: ${values}`);
    }
    if (node.maxLength !== undefined)
      add(path, 'maxLength', 'x'.repeat(node.maxLength + 1), `Too long: may not be more than ${node.maxLength} bytes`);
    if (node.minLength)
      add(path, 'minLength', '', `Invalid value: "": ${at} in body should be at least ${node.minLength} chars long`);
    if (node.minimum !== undefined)
      add(
        path,
        'minimum',
        node.minimum - 1,
        `Invalid value: ${node.minimum - 1}: ${at} in body should be greater than or equal to ${node.minimum}`,
      );
    if (node.maximum !== undefined)
      add(
        path,
        'maximum',
        node.maximum + 1,
        `Invalid value: ${node.maximum + 1}: ${at} in body should be less than or equal to ${node.maximum}`,
      );
    if (node.type === 'array') {
      const copies = (count: number) =>
        Array.from({ length: count }, (_, i) => {
          const item = structuredClone(value[0]);
          if (node['x-kubernetes-list-type'] === 'map') item[node['x-kubernetes-list-map-keys'][0]] = `n${i}`;
          return node['x-kubernetes-list-type'] === 'set' ? `${item.slice(0, 4)}${i}` : item;
        });
      if (node.maxItems && node.items.properties?.name?.enum === undefined) {
        add(
          path,
          'maxItems',
          copies(node.maxItems + 1),
          `Too many: ${node.maxItems + 1}: must have at most ${node.maxItems} items`,
        );
      }
      if (node.minItems)
        add(path, 'minItems', [], `Invalid value: 0: ${at} in body should have at least ${node.minItems} items`);
      if (node['x-kubernetes-list-type'] === 'map') {
        const key = node['x-kubernetes-list-map-keys'][0];
        const twice = structuredClone(value);
        twice[value.length > 1 ? value.length - 1 : 1] = structuredClone(value[0]);
        const last = twice.length - 1;
        found.push({
          kind,
          what: `${at}: ${key} twice`,
          object: withValue(object, path, twice),
          expected: `${at}[${last}]: Duplicate value: {"${key}":"${value[0][key]}"}`,
        });
      }
      if (node['x-kubernetes-list-type'] === 'set') {
        found.push({
          kind,
          what: `${at}: twice`,
          object: withValue(object, path, [value[0], value[0]]),
          expected: `${at}[1]: Duplicate value: "${value[0]}"`,
        });
      }
      walk(node.items, [...path, 0], value[0]);
    }
    for (const name of node.required ?? []) add([...path, name], 'required', undefined, 'Required value');
    for (const [name, child] of Object.entries(node.properties ?? {})) {
      // One of the genome's two sources is a URL with a hash, the other a path.
      if (value[name] !== undefined) walk(child as KubeObject, [...path, name], value[name]);
      else if (!(kind === 'Genome' && ['path', 'url', 'sha256'].includes(name)))
        throw new Error(`the full ${kind} has no ${at}.${name}`);
    }
  };
  walk(schema.properties.spec, ['spec'], object.spec);
  return found;
}
