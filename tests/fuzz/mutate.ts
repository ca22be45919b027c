/** Changes a JSON value in a few places: another type, a missing or an unknown key, a list for one value. */
import fc from 'fast-check';
import { hostileJson, withKey } from './hostile-values.ts';

type Path = readonly (string | number)[];

/** Every place of a value, itself first. */
function placesOf(value: unknown, at: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [at];
  const keys = Array.isArray(value) ? value.map((_, i) => i) : Object.keys(value);
  return [at, ...keys.slice(0, 50).flatMap((key) => placesOf((value as never)[key], [...at, key]))];
}

function changedAt(value: unknown, [key, ...rest]: Path, change: (old: unknown) => unknown): unknown {
  if (key === undefined) return change(value);
  if (Array.isArray(value)) return value.map((item, i) => (i === key ? changedAt(item, rest, change) : item));
  const object = value as Record<string, unknown>;
  return withKey(object, String(key), changedAt(object[key], rest, change));
}

const KEYS = ['__proto__', 'constructor', 'id', 'is_staff', 'is_superuser', 'a'.repeat(5_000), '', '\0', '\ud800'];

type Change = (old: unknown) => unknown;
const changes: fc.Arbitrary<Change> = fc.oneof(
  {
    weight: 6,
    arbitrary: hostileJson.map(
      (value): Change =>
        () =>
          value,
    ),
  },
  { weight: 1, arbitrary: fc.constant<Change>((old) => [old]) },
  { weight: 1, arbitrary: fc.constant<Change>((old) => ({ value: old })) },
  { weight: 1, arbitrary: fc.constant<Change>((old) => JSON.stringify(old)) },
  { weight: 1, arbitrary: fc.constant<Change>((old) => (Array.isArray(old) ? [...old, ...old, ...old] : [old, old])) },
  {
    weight: 2,
    arbitrary: fc.tuple(fc.constantFrom(...KEYS), hostileJson).map(
      ([key, value]): Change =>
        (old) =>
          typeof old === 'object' && old !== null
            ? withKey(old as object as Record<string, unknown>, key, value)
            : value,
    ),
  },
  {
    weight: 2,
    arbitrary: fc.nat(20).map(
      (index): Change =>
        (old) => {
          if (typeof old !== 'object' || old === null) return undefined;
          const keys = Object.keys(old);
          const gone = keys[index % keys.length];
          return Object.fromEntries(Object.entries(old).filter(([key]) => key !== gone));
        },
    ),
  },
);

/** One to three changes. */
export const mutated = (values: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc.tuple(values, fc.array(fc.tuple(fc.nat(), changes), { minLength: 1, maxLength: 3 })).map(([value, all]) =>
    all.reduce((before, [choice, change]) => {
      const places = placesOf(before);
      return changedAt(before, places[choice % places.length]!, change);
    }, value),
  );
