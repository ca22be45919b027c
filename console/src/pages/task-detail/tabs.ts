import type { TaskDetail } from '../../queries/tasks.ts';

/** The result tabs, in their order. */
export const TABS = ['summary', 'variants', 'qc', 'igv'] as const;
export type TabKey = (typeof TABS)[number];

/** What every tab is given. */
export interface TabProps {
  group: string;
  groupParam: string;
  task: TaskDetail;
  /** For queries of what may still change; false while the websocket tells of changes. */
  refetchInterval: number | false;
  onTab: (key: TabKey) => void;
}
