/** Ids of objects: UUIDs, without the two that the product reserves. */

/** Means "no object". No object has one of these ids [API-07]. */
export const ZERO_ID = '00000000-0000-0000-0000-000000000000';
export const TWOS_ID = '22222222-2222-2222-2222-222222222222';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Reports whether an object may have this id. */
export const isObjectId = (text: string | null | undefined): text is string =>
  !!text && UUID.test(text) && text !== ZERO_ID && text !== TWOS_ID;
