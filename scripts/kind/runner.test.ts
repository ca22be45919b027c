import { Interrupted, runner } from './runner.ts';

const run = runner(undefined, process.env);

describe('programs of npm run kind', () => {
  test('the output of a program that succeeds is returned, and its input is what was given', async () => {
    expect(await run('sh', ['-c', 'echo $(cat) world'], { input: 'hello' })).toBe('hello world\n');
  });

  test('a failure names the program, its exit code and what it printed last', async () => {
    const failed = run('sh', ['-c', 'echo first; echo no such cluster >&2; exit 3']);
    await expect(failed).rejects.toThrow(/^sh .* failed with exit code 3:\nfirst\nno such cluster$/s);
  });

  test('a program that cannot be started is an error', async () => {
    await expect(run('/nonexistent/kind', ['version'])).rejects.toThrow('ENOENT');
  });

  test('an interruption ends the program with its children, and none is started afterwards', async () => {
    const ending = new AbortController();
    const stoppable = runner(ending.signal, process.env);
    const started = Date.now();
    const sleeping = stoppable('sh', ['-c', 'sleep 60; true']);
    setTimeout(() => ending.abort(), 100);
    await expect(sleeping).rejects.toBeInstanceOf(Interrupted);
    expect(Date.now() - started).toBeLessThan(30_000);
    await expect(stoppable('true', [])).rejects.toBeInstanceOf(Interrupted);
  });
});
