/** Converts NetworkPolicies to nftables rules: the packet filter of a node for its current pods. */
import type { KubeObject } from '../kube-http.ts';

/** Same as in clean.sh. */
const TABLE = 'seqpanel-policies';
const DIRECTIONS = ['egress', 'ingress'] as const;
type Direction = (typeof DIRECTIONS)[number];

/** A pod with its own IPv4 address. */
export interface PlacedPod {
  address: string;
  pod: KubeObject;
}

export interface PolicyState {
  /** Range of all pods' addresses. An address without a known pod is connected only to its node. */
  range: string;
  pods: PlacedPod[];
  namespaces: KubeObject[];
  policies: KubeObject[];
}

/**
 * Returns a script for `nft -f` that replaces the whole table atomically. A connection is checked when it begins, by
 * the address behind a service, as Kubernetes specifies:
 * https://kubernetes.io/docs/concepts/services-networking/network-policies.
 */
export function policyRules(state: PolicyState): string {
  const chains = DIRECTIONS.flatMap((direction) =>
    state.pods.map((placed) => ({ direction, placed, rules: rulesOf(state, placed, direction) })),
  ).filter(({ rules }) => rules !== undefined);
  const name = (direction: Direction, { address }: PlacedPod) => `${direction}-${address}`;
  const map = (wanted: Direction) => {
    const of = chains.filter(({ direction }) => direction === wanted);
    return of.map(({ placed }) => `${placed.address} : jump ${name(wanted, placed)}`);
  };
  const known = state.pods.map(({ address }) => address);
  return [
    `table ip ${TABLE}`,
    `delete table ip ${TABLE}`,
    `table ip ${TABLE} {`,
    ...chains.map(
      ({ direction, placed, rules }) => `chain ${name(direction, placed)} {\n${[...rules!, 'drop'].join('\n')}\n}`,
    ),
    `set known { type ipv4_addr; ${elements(known)} }`,
    ...DIRECTIONS.map((direction) => `map ${direction} { type ipv4_addr : verdict; ${elements(map(direction))} }`),
    'chain forward { type filter hook forward priority 10; policy accept;',
    'ct state established,related accept',
    `ip saddr ${state.range} ip saddr != @known drop`,
    `ip daddr ${state.range} ip daddr != @known drop`,
    'ip saddr vmap @egress',
    'ip daddr vmap @ingress',
    '}',
    'chain input { type filter hook input priority 10; policy accept;', // to the node itself, including its API server
    'ct state established,related accept',
    `ip saddr ${state.range} ip saddr != @known drop`,
    'ip saddr vmap @egress',
    '}',
    '}\n',
  ].join('\n');
}

const elements = (all: string[]) => (all.length > 0 ? `elements = { ${[...new Set(all)].join(', ')} }` : '');

/** Returns the allowed peers of a pod; undefined when no policy selects it and all are allowed. */
function rulesOf(state: PolicyState, placed: PlacedPod, direction: Direction): string[] | undefined {
  const { pod, address } = placed;
  const type = direction === 'egress' ? 'Egress' : 'Ingress';
  const deciding = state.policies.filter(
    ({ metadata, spec }) =>
      metadata.namespace === pod.metadata.namespace &&
      spec.policyTypes.includes(type) &&
      selects(spec.podSelector, pod.metadata.labels),
  );
  if (deciding.length === 0) return undefined;
  const rules = deciding.flatMap((policy) =>
    (policy.spec[direction] ?? []).flatMap((rule: KubeObject) => {
      const peers: KubeObject[] = (direction === 'egress' ? rule.to : rule.from) ?? [];
      return matchesOf(state, placed, direction, policy.metadata.namespace, peers, rule.ports ?? []);
    }),
  );
  // No policy blocks a pod from itself.
  return [`${side(direction)} ${address}`, ...new Set(rules)].map((match) => `${match} return`.trim());
}

const side = (direction: Direction) => (direction === 'egress' ? 'ip daddr' : 'ip saddr');

/** Converts one rule of a policy: any of the peers on any of the ports. */
function matchesOf(
  state: PolicyState,
  self: PlacedPod,
  direction: Direction,
  namespace: string,
  peers: KubeObject[],
  ports: KubeObject[],
): string[] {
  const pods = state.pods.filter(
    ({ pod }) => peers.length === 0 || peers.some((peer) => isPeer(state, peer, namespace, pod)),
  );
  const blocks = peers.flatMap(({ ipBlock }) => (ipBlock ? [ipBlock] : []));
  const places =
    peers.length === 0
      ? ['']
      : [
          ...(pods.length > 0 ? [`${side(direction)} { ${pods.map(({ address }) => address).join(', ')} }`] : []),
          ...blocks.map(({ cidr, except = [] }) =>
            [`${side(direction)} ${cidr}`, ...except.map((not: string) => `${side(direction)} != ${not}`)].join(' '),
          ),
        ];
  if (ports.length === 0) return places;
  return ports.flatMap(({ protocol = 'TCP', port, endPort }) => {
    const transport = protocol.toLowerCase();
    if (port === undefined) return places.map((place) => `${place} meta l4proto ${transport}`);
    if (typeof port === 'number') {
      const range = endPort ? `${port}-${endPort}` : port;
      return places.map((place) => `${place} ${transport} dport ${range}`);
    }
    // A name means a port of the target pod.
    if (direction === 'ingress')
      return portNumbers(self.pod, port, protocol).flatMap((number) =>
        places.map((place) => `${place} ${transport} dport ${number}`),
      );
    return pods.flatMap(({ address, pod }) =>
      portNumbers(pod, port, protocol).map((number) => `ip daddr ${address} ${transport} dport ${number}`),
    );
  });
}

function isPeer({ namespaces }: PolicyState, peer: KubeObject, namespace: string, pod: KubeObject): boolean {
  if (peer.ipBlock) return false;
  const own = pod.metadata.namespace;
  const labels = namespaces.find(({ metadata }) => metadata.name === own)?.metadata.labels;
  const inNamespace = peer.namespaceSelector ? selects(peer.namespaceSelector, labels) : own === namespace;
  return inNamespace && selects(peer.podSelector ?? {}, pod.metadata.labels);
}

function portNumbers({ spec }: KubeObject, name: string, protocol: string): number[] {
  const all: KubeObject[] = spec.containers.flatMap(({ ports = [] }: KubeObject) => ports);
  return all
    .filter((port) => port.name === name && (port.protocol ?? 'TCP') === protocol)
    .map(({ containerPort }) => containerPort);
}

/** An empty selector selects all. */
function selects(selector: KubeObject, labels: Record<string, string> = {}): boolean {
  const { matchLabels = {}, matchExpressions = [] } = selector;
  return (
    Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
    matchExpressions.every(({ key, operator, values = [] }: KubeObject) => {
      const value = labels[key];
      if (operator === 'Exists') return value !== undefined;
      if (operator === 'DoesNotExist') return value === undefined;
      return (operator === 'In') === (value !== undefined && values.includes(value));
    })
  );
}
