import { howFar } from './prepare.ts';

const genome = (valid: string, ready: string, message: string) => ({
  ready: ready === 'True',
  conditions: [
    { type: 'Valid', status: valid, message },
    { type: 'Ready', status: ready, message },
  ],
});

test('a genome is awaited while its check runs, and not after its check failed', () => {
  const checking = 'Job install-genome-demo-0 checks it.';
  expect(howFar(genome('Unknown', 'False', checking))).toEqual({ done: false, failed: undefined, says: checking });
  expect(howFar(genome('False', 'False', 'line 3: "!"'))).toMatchObject({ done: false, failed: 'line 3: "!"' });
  expect(howFar(genome('True', 'True', ''))).toMatchObject({ done: true, failed: undefined });
});
