import { Truncate } from '@patternfly/react-core';

/** Names longer than this are cut in the middle: the end of a file name differs, so it stays. */
const TAIL = 12;

/**
 * A file or sample name. Never smaller type: cut in the middle, in full on hover and on focus. Names are data and are
 * not translated.
 */
export function LongName({ name, max = 48 }: { name: string; max?: number }) {
  if (name.length <= max) return <span translate="no">{name}</span>;
  return (
    <span translate="no">
      <Truncate content={name} position="middle" trailingNumChars={TAIL} />
    </span>
  );
}
