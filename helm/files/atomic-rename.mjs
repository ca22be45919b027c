// Tests the storage with a second pod: if both rename a folder, or link a file, to one name, exactly one wins and both
// see the winner's. Run by `helm test`: node atomic-rename.mjs FOLDER NUMBER(0 or 1). Exits 1 with a message on failure.
import { existsSync, linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

const ROUNDS = 25;
/** Long, because the other pod may still wait for its node. */
const MEET_SECONDS = 300;
/** A network file system may show names of another machine late. Steps wait up to 60 s for them. */
const SEEN_SECONDS = 60;

const [folder, number] = process.argv.slice(2);
const other = number === '0' ? '1' : '0';
const at = (...names) => join(folder, ...names);

async function until(what, seconds, look) {
  const end = Date.now() + seconds * 1000;
  for (;;) {
    const found = look();
    if (found) return found;
    if (Date.now() > end) throw new Error(`${what}: not within ${seconds} s`);
    await wait(2);
  }
}

const read = (path) => {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
};

/** Both have come to this point. */
async function meet(point, seconds) {
  writeFileSync(at(`${point}.${number}`), '');
  await until(`pod ${other} at ${point}`, seconds, () => existsSync(at(`${point}.${other}`)));
}

/** Tries, tells the other how it went, and answers how both went: [mine, theirs]. */
async function race(round, tried) {
  writeFileSync(at(`${round}.said.${number}.new`), tried ? 'won' : 'lost');
  renameSync(at(`${round}.said.${number}.new`), at(`${round}.said.${number}`));
  const theirs = await until(`word of pod ${other} on ${round}`, SEEN_SECONDS, () =>
    read(at(`${round}.said.${other}`)),
  );
  return [tried, theirs === 'won'];
}

function attempt(act) {
  try {
    act();
    return true;
  } catch (error) {
    if (['EEXIST', 'ENOTEMPTY'].includes(error.code)) return false;
    throw error;
  }
}

async function round(index) {
  const mine = at(`${index}.mine.${number}`);
  mkdirSync(mine);
  writeFileSync(join(mine, 'who'), number);
  await meet(`${index}.ready`, SEEN_SECONDS);
  for (const [what, place, act] of [
    ['rename', at(`${index}.folder`), (to) => renameSync(mine, to)],
    ['link', at(`${index}.file`), (to) => linkSync(at('who', number), to)],
  ]) {
    const [won, theirs] = await race(
      `${index}.${what}`,
      attempt(() => act(place)),
    );
    if (won === theirs) throw new Error(`${what} ${index}: ${won ? 'both' : 'neither'} of the two pods won`);
    const winner = won ? number : other;
    const path = what === 'rename' ? join(place, 'who') : place;
    const seen = await until(`${what} ${index}: the winner's file`, SEEN_SECONDS, () => read(path));
    if (seen !== winner) throw new Error(`${what} ${index}: pod ${winner} won, but the file is pod ${seen}'s`);
  }
}

try {
  mkdirSync(at('who'), { recursive: true });
  writeFileSync(at('who', number), number);
  await meet('start', MEET_SECONDS);
  for (let index = 0; index < ROUNDS; index++) await round(index);
  await meet('end', SEEN_SECONDS);
  console.log(
    `pod ${number} on ${hostname()}: ${ROUNDS} renames and ${ROUNDS} links, each won by exactly one, seen by both`,
  );
  if (number === '0') {
    await wait(2000); // the other may still look for the end
    rmSync(folder, { recursive: true, force: true });
  }
} catch (error) {
  console.error(
    `The storage cannot be used: ${error.message}. It must be a POSIX file system with atomic rename and hard links that all nodes see (NFS 4, CephFS, Lustre, EFS).`,
  );
  process.exit(1);
}
