/** Adds fields to the log of one request: to its own lines, and to the line that is written when it ends. */
import type { Request, Response } from 'express';

export function bindLog(req: Request, res: Response, fields: Readonly<Record<string, unknown>>): void {
  for (const log of [req.log, res.log]) log.setBindings?.(fields);
}
