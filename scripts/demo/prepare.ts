/** Creates what a task of the demo needs, through the public API. Keeps what exists. */
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { DemoManifest } from '@seqpanel/crds/demo-manifest.ts';
import { API, type RestClient } from './rest-client.ts';
import { uploadFile } from './upload-file.ts';

/** Folder of the demo. Must be in incoming/ below the storage root, because the genome is installed from it. */
export interface DemoFolder {
  dir: string;
  /** The same folder relative to the storage root. */
  storagePath: string;
  manifest: DemoManifest;
}

export interface Prepared {
  group: string;
  project: string;
  panel: string;
}

interface Listed<T> {
  results: T[];
}
type Named = { id: string; name: string };
interface Genome {
  id: string;
  value: string;
  ready: boolean;
  conditions: { type: string; status: string; message: string }[];
}
interface User {
  id: string;
  is_superuser: boolean;
  is_active: boolean;
  groups: unknown[];
}
interface Progress {
  done: boolean;
  /** Reason why it will never be ready. */
  failed: string | undefined;
  /** Current activity. */
  says?: string | undefined;
}

export async function openDemoFolder(dir: string, storagePath: string): Promise<DemoFolder> {
  return { dir, storagePath, manifest: JSON.parse(await readFile(join(dir, 'demo.json'), 'utf8')) as DemoManifest };
}

/**
 * Returns the group of that name. Creates a missing one with the caller and the superusers, who look at the results, as
 * admins.
 */
export async function ensureGroup(client: RestClient, name: string, displayName: string): Promise<string> {
  const groups = await client.get<Listed<Named>>(`${API}/admin/groups?page_size=99999`);
  const known = groups.results.find((group) => group.name === name);
  if (known) return known.id;
  const caller = await client.get<{ user_id: string }>(`${API}/profile`);
  const users = await client.get<Listed<User>>(`${API}/admin/users?page_size=99999`);
  const members = users.results
    .filter((user) => user.id === caller.user_id || (user.is_superuser && user.is_active))
    // Keeps the default group of users who already have one.
    .map(({ id, groups: own }) => ({ user_id: id, is_group_admin: true, is_default: own.length === 0 }));
  const created = await client.post<Named>(`${API}/admin/groups`, { name, display_name: displayName, members });
  return created.id;
}

export async function ensureProject(client: RestClient, group: string, name: string): Promise<string> {
  const projects = await client.get<Listed<Named>>(`${API}/${group}/projects?page_size=99999`);
  const known = projects.results.find((project) => project.name === name);
  return known?.id ?? (await client.post<Named>(`${API}/${group}/projects`, { name })).id;
}

/** Installs the genome and waits for its check Job. Throws the condition's message if the check failed. */
export async function ensureGenome(client: RestClient, folder: DemoFolder): Promise<void> {
  const { genome } = folder.manifest;
  const genomes = await client.get<Listed<Genome>>(`${API}/admin/genomes?page_size=99999`);
  let current = genomes.results.find((candidate) => candidate.value === genome.value);
  current ??= await client.post<Genome>(`${API}/admin/genomes`, {
    display_name: genome.displayName,
    value: genome.value,
    synthetic: true,
    source: { path: `${folder.storagePath}/${genome.fasta}` },
    annotation: genome.annotation.map((source) => ({ ...source, path: `${folder.storagePath}/${source.path}` })),
  });
  await until(`genome ${genome.value}`, async () =>
    howFar(await client.get<Genome>(`${API}/admin/genomes/${current.id}`)),
  );
}

/** Returns whether a genome is ready. It is also not ready while its Job runs; only a finished check means failure. */
export function howFar({ ready, conditions }: Pick<Genome, 'ready' | 'conditions'>): Progress {
  const held = (type: string) => conditions.find((condition) => condition.type === type);
  const valid = held('Valid');
  return { done: ready, failed: valid?.status === 'False' ? valid.message : undefined, says: held('Ready')?.message };
}

export async function ensurePanelType(client: RestClient, folder: DemoFolder): Promise<string> {
  const { panel, genome } = folder.manifest;
  type PanelType = { id: string; value: string; valid: boolean; ready: boolean; problems: { message: string }[] };
  const panels = await client.get<Listed<PanelType>>(`${API}/admin/panel_types?page_size=99999`);
  let current = panels.results.find((candidate) => candidate.value === panel.value);
  if (!current) {
    const form = new FormData();
    form.set('display_name', panel.displayName);
    form.set('value', panel.value);
    form.set('genome', genome.value);
    form.set('active', 'true');
    form.set('panel_file', new Blob([await readFile(join(folder.dir, panel.file))]), basename(panel.file));
    if (panel.control)
      form.set('control_file', new Blob([await readFile(join(folder.dir, panel.control))]), basename(panel.control));
    current = await client.postForm<PanelType>(`${API}/admin/panel_types`, form);
  }
  const { id } = current;
  await until(`panel type ${panel.value}`, async () => {
    const now = await client.get<PanelType>(`${API}/admin/panel_types/${id}`);
    return { done: now.ready, failed: undefined };
  });
  return id;
}

/** Yields the names of a project's files, page by page. */
async function listedNames(client: RestClient, path: string): Promise<Set<string>> {
  const names = new Set<string>();
  for (let page = 1; ; page++) {
    const { results } = await client.get<Listed<{ name: string }>>(`${path}?page=${page}&page_size=200`);
    for (const { name } of results) names.add(name);
    if (results.length < 200) return names;
  }
}

/** Uploads the files of the chosen samples (default: all) that the project lacks. */
export async function ensureFiles(
  client: RestClient,
  folder: DemoFolder,
  target: { group: string; project: string; samples?: readonly string[] },
  show: (line: string) => void = () => {},
): Promise<void> {
  const known = await listedNames(client, `${API}/${target.group}/projects/${target.project}/filelist`);
  const chosen = folder.manifest.samples.filter((sample) => target.samples?.includes(sample.name) ?? true);
  const files = chosen.flatMap((sample) => sample.files).filter((file) => !known.has(basename(file.path)));
  for (const [index, file] of files.entries()) {
    await uploadFile(client, { ...target, path: join(folder.dir, file.path) }, (sent, size) =>
      show(
        `uploading ${basename(file.path)} (${index + 1} of ${files.length}) ${Math.round((sent / Math.max(size, 1)) * 100)} %`,
      ),
    );
  }
}

/** Prepares group, project, genome, panel type and files, in this order. */
export async function prepareDemo(
  client: RestClient,
  folder: DemoFolder,
  names: { group: string; project: string; samples?: readonly string[] },
  show: (line: string) => void = () => {},
): Promise<Prepared> {
  show('group and project');
  const group = await ensureGroup(client, names.group, names.group);
  const project = await ensureProject(client, group, names.project);
  show('genome: checking and indexing');
  await ensureGenome(client, folder);
  show('panel type: checking');
  const panel = await ensurePanelType(client, folder);
  await ensureFiles(client, folder, { group, project, ...(names.samples ? { samples: names.samples } : {}) }, show);
  return { group, project, panel };
}

async function until(what: string, look: () => Promise<Progress>, timeoutMs = 600_000): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const { done, failed, says } = await look();
    if (done) return;
    if (failed && Date.now() > deadline - timeoutMs + 30_000) throw new Error(`${what}: ${failed}`);
    if (Date.now() > deadline)
      throw new Error(`${what} was not ready in ${timeoutMs / 1000} s${says ? `: ${says}` : ''}`);
    await wait(300);
  }
}
