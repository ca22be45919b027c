/** Sessions with a call under way: an upload of hours must not end the session that sends it. */

export interface RunningCalls {
  /** Counts a call until its answer is sent or its connection is closed. */
  watch(sessionId: string, res: { once(event: 'close', listener: () => void): unknown }): void;
  /** The sessions with a call under way. */
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
