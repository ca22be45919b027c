import { Truncate } from '@patternfly/react-core';

/** Longer names are shortened in the middle, because file names differ at the end. */
const TAIL = 12;

/**
 * A file or sample name, shortened in the middle and shown in full on hover and focus. Names are data and are not
 * translated.
 */
export function LongName({ name, max = 48 }: { name: string; max?: number }) {
  if (name.length <= max) return <span translate="no">{name}</span>;
  return (
    <span translate="no">
      <Truncate content={name} position="middle" trailingNumChars={TAIL} />
    </span>
  );
}
