/**
 * Decides which tasks may start and how many pods each may run: weighted round robin over groups, depth first inside a
 * group. Pure and computed from the caches alone, so that a new leader decides as the old one did. Never ends a pod that
 * has done work: a task above its share shrinks as its pods end (ADR 0065).
 */

import type { Candidate } from './candidate.ts';
import { shareOut } from './share-out.ts';

export interface Limits {
  /** Running pods of one group; 0 means no limit. */
  groupPods: number;
  /** Running pods of all groups; 0 means no limit. */
  totalPods: number;
  /** Share of each group relative to the others; default 1. */
  groupWeights: Readonly<Record<string, number>>;
}

export interface Grant {
  /** Pods that the task may run. */
  pods: number;
  /** Name of the Job that `parallelism` applies to. */
  job?: string;
  /** Parallelism to set on the Job; undefined leaves it unchanged. */
  parallelism?: number;
}

export interface GroupPlan {
  name: string;
  weight: number;
  /** Pods that the group runs or may run under this plan. */
  used: number;
  most: number;
  /** Keys of waiting tasks, oldest first. */
  waiting: string[];
}

export interface Plan {
  /** Grants of started tasks and of tasks that may start. */
  grants: Map<string, Grant>;
  /** Keys of tasks that may start, in order. */
  start: string[];
  /** Groups in the order of their turns. */
  groups: GroupPlan[];
  /** Pods of all groups under this plan. */
  used: number;
  limits: Limits;
}

interface Group {
  name: string;
  weight: number;
  most: number;
  started: { task: Candidate; ideal: number; pods: number }[];
  waiting: Candidate[];
  used: number;
  entitled: number;
}

export function planAdmission(candidates: readonly Candidate[], limits: Limits): Plan {
  const groups = byGroup(candidates, limits);
  const total = limits.totalPods || Number.POSITIVE_INFINITY;
  const entitled = shareOut(
    total,
    groups.map((group) => ({ weight: group.weight, held: 0, wants: Math.min(group.most, wantsOf(group)) })),
  );
  for (const [i, group] of groups.entries()) hold(group, Math.max(entitled[i] ?? 0, 1));
  // Order by pods per weight, then by the oldest waiting task.
  groups.sort(
    (a, b) => a.used / a.weight - b.used / b.weight || older(a.waiting[0], b.waiting[0]) || (a.name < b.name ? -1 : 1),
  );
  const held = groups.reduce((sum, { used }) => sum + used, 0);
  const given = shareOut(
    Math.max(0, total - held),
    groups.map((group) => ({ weight: group.weight, held: group.used, wants: missing(group) })),
  );
  const grants = new Map<string, Grant>();
  const starting: string[][] = [];
  const planned = groups.map((group, i) => {
    // A group without running pods gets one immediately: its next free pod may be an hour away.
    const first = group.used === 0 && group.waiting.length > 0 ? 1 : 0;
    starting.push(grant(group, Math.max(given[i] ?? 0, first), grants));
    const waiting = group.waiting.filter(({ key }) => !grants.has(key)).map(({ key }) => key);
    return { name: group.name, weight: group.weight, used: group.used, most: group.most, waiting };
  });
  return {
    grants,
    start: interleave(starting, groups),
    groups: planned,
    used: groups.reduce((sum, { used }) => sum + used, 0),
    limits,
  };
}

/** Returns the unassigned pods that a group may still run, for the next step of a started task. */
export function roomOf({ limits, used, groups }: Plan, name: string): number {
  const group = groups.find((each) => each.name === name);
  const inGroup = (group?.most ?? Number.POSITIVE_INFINITY) - (group?.used ?? 0);
  return Math.max(0, Math.min(inGroup, (limits.totalPods || Number.POSITIVE_INFINITY) - used));
}

function byGroup(candidates: readonly Candidate[], { groupPods, groupWeights }: Limits): Group[] {
  const groups = new Map<string, Group>();
  for (const task of candidates) {
    let group = groups.get(task.group);
    if (!group) {
      const weight = Object.hasOwn(groupWeights, task.group) ? (groupWeights[task.group] ?? 1) : 1;
      const most = groupPods || Number.POSITIVE_INFINITY;
      group = { name: task.group, weight, most, started: [], waiting: [], used: 0, entitled: 0 };
      groups.set(task.group, group);
    }
    if (task.started) group.started.push({ task, ideal: 0, pods: 0 });
    else group.waiting.push(task);
  }
  for (const group of groups.values()) {
    group.started.sort((a, b) => older(a.task, b.task));
    group.waiting.sort(older);
  }
  return [...groups.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

function older(a: Candidate | undefined, b: Candidate | undefined): number {
  if (!a || !b) return Number(a === undefined) - Number(b === undefined);
  if (a.created !== b.created) return a.created < b.created ? -1 : 1;
  return a.uid < b.uid ? -1 : Number(a.uid > b.uid);
}

const wantsOf = ({ started, waiting }: Group): number =>
  started.reduce((sum, { task }) => sum + (task.ending ? task.active : task.wants), 0) +
  waiting.reduce((sum, { wants }) => sum + wants, 0);

/** Computes what started tasks keep: their share, oldest first, or more while pods above it would lose work. */
function hold(group: Group, entitled: number): void {
  group.entitled = entitled;
  const lasting = group.started.filter(({ task }) => !task.ending);
  let extra = Math.max(0, entitled - lasting.length);
  for (const entry of lasting) {
    const more = Math.min(extra, entry.task.wants - 1);
    entry.ideal = 1 + more;
    extra -= more;
  }
  for (const entry of group.started) {
    const { allowed, active, settled, leaving, ending, job } = entry.task;
    const kept = Math.min(allowed, Math.max(entry.ideal, settled));
    entry.pods = ending ? active : job === undefined ? Math.max(1, active) : Math.max(1, kept);
    group.used += Math.max(entry.pods, active) + leaving;
  }
}

/** Pods that the group's share leaves for growth and for waiting tasks. */
function missing({ started, waiting, used, entitled, most }: Group): number {
  const growth = started.reduce((sum, { ideal, pods }) => sum + Math.max(0, ideal - pods), 0);
  const wanted = growth + waiting.reduce((sum, { wants }) => sum + wants, 0);
  return Math.max(0, Math.min(wanted, Math.min(entitled, most) - used));
}

/** Assigns the group's pods to its tasks and returns the keys of those that may start. */
function grant(group: Group, pods: number, grants: Map<string, Grant>): string[] {
  let left = pods;
  const start: string[] = [];
  for (const { task, ideal, pods: kept } of group.started) {
    // Between two steps there is no Job to grow; the next Job starts with the pods that are free then.
    const more = task.job === undefined || task.ending ? 0 : Math.max(0, Math.min(left, ideal - kept));
    left -= more;
    const may = kept + more;
    grants.set(task.key, {
      pods: may,
      ...(task.job !== undefined && { job: task.job }),
      ...(task.job !== undefined && task.allowed > 0 && may !== task.allowed && { parallelism: may }),
    });
  }
  for (const task of group.waiting) {
    if (left <= 0) break;
    const may = Math.min(left, task.wants);
    left -= may;
    grants.set(task.key, { pods: may });
    start.push(task.key);
  }
  group.used += pods - left;
  return start;
}

/** Merges the groups' lists: in each round, each group contributes as many tasks as its weight. */
function interleave(lists: readonly string[][], groups: readonly Group[]): string[] {
  const merged: string[] = [];
  const longest = Math.max(0, ...lists.map((list, i) => Math.ceil(list.length / (groups[i]?.weight ?? 1))));
  for (let round = 0; round < longest; round++)
    for (const [i, list] of lists.entries()) {
      const weight = groups[i]?.weight ?? 1;
      merged.push(...list.slice(round * weight, (round + 1) * weight));
    }
  return merged;
}
