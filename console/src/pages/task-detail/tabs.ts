import type { TaskDetail } from '../../queries/tasks.ts';

/** The result tabs, in their order. */
export const TABS = ['summary', 'variants', 'qc', 'igv'] as const;
export type TabKey = (typeof TABS)[number];

/** Props of every tab. */
export interface TabProps {
  group: string;
  groupParam: string;
  task: TaskDetail;
  /** Interval for queries that may still change; false while the websocket reports changes. */
  refetchInterval: number | false;
  onTab: (key: TabKey) => void;
}
