/** Parses the command line of `npm run kind`. */

import { resolve } from 'node:path';
import { parseArgs } from 'node:util';

export interface KindCommand {
  action: 'up' | 'test' | 'down';
  /** Node image. Undefined means kind's default. */
  image: string | undefined;
  /** Path of kind's configuration. Undefined means tests/cluster/kind.yaml. */
  config: string | undefined;
}

export const USAGE = 'Usage: npm run kind -- up [--image NODE_IMAGE] [--config FILE] | test | down';

/**
 * `folder` is the shell's working directory. The environment sets the image unless an option does. Throws usage errors.
 */
export function parseCommand(
  args: readonly string[],
  env: Record<string, string | undefined>,
  folder: string,
): KindCommand {
  const { values, positionals } = parse(args);
  const [action, ...rest] = positionals;
  if (action !== 'up' && action !== 'test' && action !== 'down') throw new Error(USAGE);
  if (rest.length > 0) throw new Error(`Unknown argument: ${rest[0]}.\n${USAGE}`);
  if (action !== 'up' && (values.image ?? values.config) !== undefined)
    throw new Error(`Only up accepts --image and --config.\n${USAGE}`);
  return {
    action,
    image: values.image || env['SEQPANEL_KIND_IMAGE'] || undefined,
    config: values.config === undefined ? undefined : resolve(folder, values.config),
  };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { image: { type: 'string' }, config: { type: 'string' } },
    });
  } catch (error) {
    throw new Error(`${(error as Error).message}\n${USAGE}`);
  }
}
