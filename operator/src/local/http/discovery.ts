/** Discovery: groups, resources, versions and the OpenAPI documents that kubectl reads. */

import { apiVersion, type ResourceType } from '../objects/resources.ts';
import type { Json, Schema } from '../objects/schema.ts';

/** The Kubernetes release whose behaviour this server follows. */
export const KUBERNETES_VERSION = 'v1.34.4';

export const version = () => ({
  major: '1',
  minor: '34',
  gitVersion: `${KUBERNETES_VERSION}+seqpanel-local`,
  gitCommit: '',
  gitTreeState: 'clean',
  buildDate: '1970-01-01T00:00:00Z',
  goVersion: '',
  compiler: '',
  platform: 'linux/amd64',
});

const groupVersion = (type: ResourceType) => ({ groupVersion: apiVersion(type), version: type.version });

function group(type: ResourceType): Json {
  return { name: type.group, versions: [groupVersion(type)], preferredVersion: groupVersion(type) };
}

const READ = ['get', 'list', 'watch'];
const WRITE = ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch'];

function resourceList(types: ResourceType[]): Json {
  return {
    kind: 'APIResourceList',
    apiVersion: 'v1',
    groupVersion: apiVersion(types[0]!),
    resources: types.flatMap((type) => {
      const one = (name: string, verbs: string[], more: object = {}) => ({
        name,
        singularName: name.includes('/') ? '' : type.singular,
        namespaced: type.namespaced,
        kind: type.kind,
        verbs,
        ...more,
      });
      const shortNames = type.shortNames.length > 0 ? { shortNames: type.shortNames } : {};
      return [
        one(type.plural, type.readOnly ? READ : WRITE, { ...shortNames, ...(type.schema && { categories: ['all'] }) }),
        ...(type.status ? [one(`${type.plural}/status`, ['get', 'patch', 'update'])] : []),
        ...(type.kind === 'Pod' ? [one('pods/log', ['get'])] : []),
      ];
    }),
  };
}

/** Returns the response to a discovery path, or undefined for other paths. */
export function discovery(types: ResourceType[], path: string): Json | undefined {
  const groups = [...new Map(types.filter((type) => type.group).map((type) => [type.group, type])).values()];
  if (path === '/api') return { kind: 'APIVersions', versions: ['v1'], serverAddressByClientCIDRs: [] };
  if (path === '/apis') return { kind: 'APIGroupList', apiVersion: 'v1', groups: groups.map(group) };
  const [, root] = path.split('/');
  const wanted = path.slice(`/${root}/`.length);
  const inVersion = types.filter((type) => apiVersion(type) === wanted);
  const found = inVersion.length > 0 && (root === 'api') === !inVersion[0]!.group;
  return found ? resourceList(inVersion) : undefined;
}

const base = (type: ResourceType) => (type.group ? `/apis/${apiVersion(type)}` : `/api/${type.version}`);

/** The index at /openapi/v3. */
export function openapiIndex(types: ResourceType[]): Json {
  const paths = [...new Set(types.map(base))].map((path) => [
    path.slice(1),
    { serverRelativeURL: `/openapi/v3${path}` },
  ]);
  return { paths: Object.fromEntries(paths) };
}

const META_REF = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta';

function openapiSchema(type: ResourceType): Json {
  const gvk = [{ group: type.group, version: type.version, kind: type.kind }];
  const schema: Schema = type.schema ?? { type: 'object' };
  const metadata = { allOf: [{ $ref: `#/components/schemas/${META_REF}` }], description: 'Standard object metadata.' };
  return {
    ...schema,
    properties: { apiVersion: { type: 'string' }, kind: { type: 'string' }, ...schema.properties, metadata },
    'x-kubernetes-group-version-kind': gvk,
  };
}

const componentOf = (type: ResourceType) =>
  `${(type.group || 'core').split('.').reverse().join('.')}.${type.version}.${type.kind}`;

/** The document of one group and version: schemas for `kubectl explain`, and parameters that kubectl checks. */
export function openapiDocument(types: ResourceType[], path: string): Json | undefined {
  const served = types.filter((type) => base(type) === path);
  if (served.length === 0) return undefined;
  const paths: Json = {};
  const schemas: Json = { [META_REF]: { type: 'object', description: 'Metadata that all persisted resources have.' } };
  for (const type of served) {
    const gvk = { group: type.group, version: type.version, kind: type.kind };
    schemas[componentOf(type)] = openapiSchema(type);
    const content = { 'application/json': { schema: { $ref: `#/components/schemas/${componentOf(type)}` } } };
    const operation = (more: object = {}) => ({
      'x-kubernetes-group-version-kind': gvk,
      responses: { 200: { description: 'OK', content } },
      ...more,
    });
    const fieldValidation = { name: 'fieldValidation', in: 'query', schema: { type: 'string' } };
    const list = `${base(type)}/${type.namespaced ? 'namespaces/{namespace}/' : ''}${type.plural}`;
    paths[list] = {
      get: operation({ 'x-kubernetes-action': 'list' }),
      post: operation({ parameters: [fieldValidation] }),
    };
    paths[`${list}/{name}`] = {
      get: operation(),
      patch: operation({
        parameters: [fieldValidation],
        requestBody: { content: { 'application/merge-patch+json': { schema: { type: 'object' } } } },
      }),
    };
  }
  return {
    openapi: '3.0.0',
    info: { title: 'Kubernetes', version: KUBERNETES_VERSION },
    paths,
    components: { schemas },
  };
}
