import { newSecret, suitesOf, withoutClusters } from './installation.ts';

describe('installation on a kind cluster', () => {
  test("the Secret has the chart's four keys, with valid values that differ in each installation", () => {
    const [one, other] = [newSecret(), newSecret()].map((text) => JSON.parse(text).stringData);
    expect(Object.keys(one).sort()).toEqual([
      'first-admin-password',
      'postgres-api-password',
      'postgres-password',
      'session-secret',
    ]);
    expect(one['session-secret']).toMatch(/^[0-9a-f]{64}$/);
    expect(one['first-admin-password']).toMatch(/^Aa1-[0-9a-f]{16}$/);
    for (const key of Object.keys(one)) expect(one[key]).not.toBe(other[key]);
  });

  test('the suites in the output of helm test are kept, the notes are not', () => {
    const printed = [
      'NAME: seqpanel',
      'STATUS: deployed',
      'TEST SUITE:     seqpanel-test-login',
      'Phase:          Succeeded',
      'NOTES:',
      'SeqPanel 0.1.0 is being started in namespace seqpanel.',
      '',
    ].join('\n');
    expect(suitesOf(printed)).toBe('TEST SUITE:     seqpanel-test-login\nPhase:          Succeeded');
    expect(suitesOf('no tests\n')).toBe('no tests');
  });

  test('no environment variable selects another cluster for helm or kubectl', () => {
    const env = { PATH: '/bin', KUBECONFIG: '/home/me/.kube/config', HELM_KUBECONTEXT: 'production', HELM_DEBUG: '1' };
    expect(withoutClusters(env)).toEqual({ PATH: '/bin', HELM_DEBUG: '1' });
  });
});
