import { newSecret, suitesOf, withoutClusters } from './installation.ts';

describe('installation on a kind cluster', () => {
  test("the Secret has the chart's four keys, with values that its rules admit and that no other installation has", () => {
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

  test('of what helm test prints the suites stay, not the notes', () => {
    const printed = [
      'NAME: seqpanel',
      'STATUS: deployed',
      'TEST SUITE:     seqpanel-test-login',
      'Phase:          Succeeded',
      'NOTES:',
      'SeqPanel 0.1.0 is starting in namespace seqpanel.',
      '',
    ].join('\n');
    expect(suitesOf(printed)).toBe('TEST SUITE:     seqpanel-test-login\nPhase:          Succeeded');
    expect(suitesOf('no tests\n')).toBe('no tests');
  });

  test('no variable of the environment turns helm or kubectl to another cluster', () => {
    const env = { PATH: '/bin', KUBECONFIG: '/home/me/.kube/config', HELM_KUBECONTEXT: 'production', HELM_DEBUG: '1' };
    expect(withoutClusters(env)).toEqual({ PATH: '/bin', HELM_DEBUG: '1' });
  });
});
