/** Renders the chart with helm and finds its objects. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { KubeObject } from '../kube-http.ts';
import { CHART, type Helm, objectsOf, openHelm } from './helm.ts';

export const ROOT = join(CHART, '..');
/** Namespace of the release. */
export const NS = 'laboratory';
/** Minimal required values. */
export const SECRET = ['--set', 'secrets.existingSecret=seqpanel'];

/** Reads a file of the project. */
export const read = (...path: string[]): string => readFileSync(join(ROOT, ...path), 'utf8');

export const byKind = (objects: KubeObject[], kind: string): KubeObject[] =>
  objects.filter((object) => object.kind === kind);

export interface Chart {
  helm: Helm;
  render(...args: string[]): Promise<KubeObject[]>;
  /** Renders the chart with the values of helm/examples. */
  example(name: string, ...args: string[]): Promise<KubeObject[]>;
  /** Returns helm's error message. */
  refusal(...args: string[]): Promise<string>;
}

export function openChart(program: string): Chart {
  const helm = openHelm(program);
  const render = async (...args: string[]) =>
    objectsOf(await helm('template', 'seqpanel', '.', '--namespace', NS, ...args));
  return {
    helm,
    render,
    example: (name, ...args) => render('-f', join('examples', `${name}.yaml`), ...args),
    refusal: (...args) => render(...args).then(String, (error: Error) => error.message),
  };
}
