/** Adds fields to all log lines of one request, including the line written at its end. */
import type { Request, Response } from 'express';

export function bindLog(req: Request, res: Response, fields: Readonly<Record<string, unknown>>): void {
  for (const log of [req.log, res.log]) log.setBindings?.(fields);
}
