/** Tracks sessions with a running call, because an upload may take longer than the idle time of its session. */

export interface RunningCalls {
  /** Counts a call until its connection closes. */
  watch(sessionId: string, res: { once(event: 'close', listener: () => void): unknown }): void;
  /** Returns the sessions with a running call. */
  sessions(): string[];
}

export function createRunningCalls(): RunningCalls {
  const counts = new Map<string, number>();
  return {
    watch: (sessionId, res) => {
      counts.set(sessionId, (counts.get(sessionId) ?? 0) + 1);
      res.once('close', () => {
        const left = (counts.get(sessionId) ?? 1) - 1;
        if (left === 0) counts.delete(sessionId);
        else counts.set(sessionId, left);
      });
    },
    sessions: () => [...counts.keys()],
  };
}
