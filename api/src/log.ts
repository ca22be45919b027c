/** Creates the process's log: JSON lines, or readable lines for a terminal. */
import { type Logger, pino } from 'pino';
import type { Config } from './config.ts';

export function createLog(config: Pick<Config, 'logFormat' | 'logLevel'>): Logger {
  const options = { level: config.logLevel, base: { part: 'api' }, timestamp: pino.stdTimeFunctions.isoTime };
  if (config.logFormat === 'json') return pino(options);
  return pino(options, {
    write: (line: string) => {
      const { time, level, msg, err, part: _, ...rest } = JSON.parse(line);
      const name = pino.levels.labels[level] ?? level;
      const more = Object.keys(rest).length > 0 ? ` ${JSON.stringify(rest)}` : '';
      process.stdout.write(`${time} api ${name} ${msg}${more}${err ? `\n${err.stack ?? err.message}` : ''}\n`);
    },
  });
}
