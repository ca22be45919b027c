import type { KubeObject } from '../kube-http.ts';
import { policyRules } from './policy-rules.ts';

const placed = (address: string, namespace: string, labels: Record<string, string>, ports: KubeObject[] = []) => ({
  address,
  pod: { metadata: { namespace, labels }, spec: { containers: [{ ports }] } },
});
const WEB = placed('10.0.0.2', 'lab', { app: 'web' }, [{ name: 'http', containerPort: 8080 }]);
const JOB = placed('10.0.0.3', 'lab', { app: 'job' });
const GUEST = placed('10.0.0.4', 'guests', { app: 'web' }, [{ name: 'http', containerPort: 8081 }]);

/** Returns the rules of one pod's chain for the policy of these lines; undefined when the pod is not filtered. */
function chainOf(chain: string, spec: KubeObject): string[] | undefined {
  const script = policyRules({
    range: '10.0.0.0/24',
    pods: [WEB, JOB, GUEST],
    namespaces: [{ metadata: { name: 'lab' } }, { metadata: { name: 'guests', labels: { kind: 'guests' } } }],
    policies: [{ metadata: { namespace: 'lab' }, spec }],
  });
  const body = new RegExp(`^chain ${chain} \\{\n([^]*?)\n\\}`, 'm').exec(script)?.[1];
  return body?.split('\n').map((line) => line.replace(/ +/g, ' ').trim());
}

const of = (app: string) => ({ matchLabels: { app } });
const SELF = 'ip daddr 10.0.0.3 return';

test('a pod without a policy for a direction is not filtered in it', () => {
  const spec = { podSelector: of('job'), policyTypes: ['Egress'] };
  expect(chainOf('egress-10.0.0.3', spec)).toEqual([SELF, 'drop']);
  expect(chainOf('ingress-10.0.0.3', spec)).toBeUndefined();
  expect(chainOf('egress-10.0.0.2', spec)).toBeUndefined();
  // A policy applies only to pods of its own namespace.
  expect(chainOf('ingress-10.0.0.4', { podSelector: {}, policyTypes: ['Ingress'] })).toBeUndefined();
});

test.each<[string, KubeObject, string[]]>([
  ['all, without peers and ports', {}, ['']],
  ['ports alone', { ports: [{ port: 443 }, { port: 53, protocol: 'UDP' }] }, ['tcp dport 443', 'udp dport 53']],
  ['a range of ports', { ports: [{ port: 8000, endPort: 8010 }] }, ['tcp dport 8000-8010']],
  ['a protocol alone', { ports: [{ protocol: 'SCTP' }] }, ['meta l4proto sctp']],
  ['pods of its namespace', { to: [{ podSelector: of('web') }] }, ['ip daddr { 10.0.0.2 }']],
  [
    'pods of other namespaces',
    { to: [{ namespaceSelector: { matchLabels: { kind: 'guests' } }, podSelector: of('web') }] },
    ['ip daddr { 10.0.0.4 }'],
  ],
  [
    'labels by expressions',
    { to: [{ podSelector: { matchExpressions: [{ key: 'app', operator: 'NotIn', values: ['job'] }] } }] },
    ['ip daddr { 10.0.0.2 }'],
  ],
  [
    'a block without a part of it',
    { to: [{ ipBlock: { cidr: '192.0.2.0/24', except: ['192.0.2.1/32'] } }], ports: [{ port: 443 }] },
    ['ip daddr 192.0.2.0/24 ip daddr != 192.0.2.1/32 tcp dport 443'],
  ],
  [
    "a port's name, which each pod gives its own number",
    { to: [{ namespaceSelector: {} }], ports: [{ port: 'http' }] },
    ['ip daddr 10.0.0.2 tcp dport 8080', 'ip daddr 10.0.0.4 tcp dport 8081'],
  ],
  ['peers that are not there', { to: [{ podSelector: of('nobody') }] }, []],
])('egress to %s', (_, rule, allowed) => {
  const spec = { podSelector: of('job'), policyTypes: ['Egress'], egress: [rule] };
  const wanted = allowed.map((match) => `${match} return`.trim());
  expect(chainOf('egress-10.0.0.3', spec)).toEqual([SELF, ...wanted, 'drop']);
});

test("ingress by a port's name means the pod's own", () => {
  const ingress = [{ from: [{ podSelector: of('job') }], ports: [{ port: 'http' }] }];
  expect(chainOf('ingress-10.0.0.2', { podSelector: of('web'), policyTypes: ['Ingress'], ingress })).toEqual([
    'ip saddr 10.0.0.2 return',
    'ip saddr { 10.0.0.3 } tcp dport 8080 return',
    'drop',
  ]);
});
