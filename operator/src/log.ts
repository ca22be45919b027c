/** The process's log: one JSON object per line, or a readable line for terminals. */

import { type Logger, pino } from 'pino';

export function createLog(format: 'json' | 'pretty', level: string): Logger {
  const options = { level, base: { part: 'operator' }, timestamp: pino.stdTimeFunctions.isoTime };
  if (format === 'json') return pino(options);
  return pino(options, {
    write: (line: string) => {
      const { time, level: number, msg, err, part: _, ...rest } = JSON.parse(line);
      const name = pino.levels.labels[number] ?? number;
      const more = Object.keys(rest).length > 0 ? ` ${JSON.stringify(rest)}` : '';
      process.stdout.write(`${time} operator ${name} ${msg}${more}${err ? `\n${err.stack ?? err.message}` : ''}\n`);
    },
  });
}
