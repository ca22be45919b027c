/**
 * The parts of a real node beside a control plane: containerd, kubelet, kube-proxy and CoreDNS as processes of this
 * machine.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { Resolver } from 'node:dns/promises';
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ClusterBinaries } from '../binaries.ts';
import type { ControlPlane } from '../control-plane.ts';
import { Daemon } from '../daemon.ts';
import { eventually, KubeHttp, type KubeObject, kubeconfigOf } from '../kube-http.ts';
import { makeBusyboxImage } from './busybox-image.ts';
import { importArchive } from './images.ts';
import { ADDRESS, DNS_DOMAIN, type Layout, NODE, NODE_BRIDGE, POD_BRIDGE, POD_NETWORK, POD_RANGE } from './layout.ts';
import { enforcePolicies } from './policy-enforcer.ts';
import { containerdSettings, dnsSettings, kubeletSettings, podNetworkSettings } from './settings.ts';

/** Users of the node's own parts, for the API server's token file. */
export interface NodeTokens {
  kubelet: string;
  kubeProxy: string;
}

/** Creates the bridge with the node's address, forwarding between pods, and the kubelet's client CA. */
export function prepareMachine({ folder }: Layout): { certificate: string; key: string } {
  execFileSync('ip', ['link', 'add', NODE_BRIDGE, 'type', 'bridge']);
  execFileSync('ip', ['address', 'add', `${ADDRESS}/32`, 'dev', NODE_BRIDGE]);
  execFileSync('ip', ['link', 'set', NODE_BRIDGE, 'up']);
  // Pods on one bridge reach each other's services only if the bridge uses the packet filter, which needs a module on
  // some kernels.
  spawnSync('modprobe', ['br_netfilter']);
  writeFileSync('/proc/sys/net/ipv4/ip_forward', '1');
  writeFileSync('/proc/sys/net/bridge/bridge-nf-call-iptables', '1');
  // Docker drops forwarded packets of other bridges.
  if (spawnSync('iptables', ['-S', 'FORWARD'], { encoding: 'utf8' }).stdout?.startsWith('-P FORWARD DROP'))
    for (const direction of ['-i', '-o'])
      execFileSync('iptables', ['-I', 'FORWARD', direction, POD_BRIDGE, '-j', 'ACCEPT']);
  const [certificate, key] = [join(folder, 'kubelet-client.crt'), join(folder, 'kubelet-client.key')];
  execFileSync(
    'openssl',
    [
      ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '3650'],
      ...['-subj', '/O=system:masters/CN=apiserver-kubelet-client', '-keyout', key, '-out', certificate],
    ],
    { stdio: 'ignore' },
  );
  return { certificate, key };
}

/** Starts the parts and waits until the node is Ready and service names are resolved. */
export async function startNode(
  layout: Layout,
  binaries: ClusterBinaries,
  plane: ControlPlane,
  tokens: NodeTokens,
  clientCa: string,
): Promise<Daemon[]> {
  const { folder } = layout;
  const daemons: Daemon[] = [];
  const write = (name: string, text: string) => {
    const path = join(folder, name);
    writeFileSync(path, text, { mode: 0o600 });
    return path;
  };
  const start = (name: string, program: string, args: string[]) => {
    const daemon = new Daemon(name, program, args, join(folder, `${name}.log`));
    daemons.push(daemon);
    return daemon;
  };
  const waitFor = <T>(daemon: Daemon, what: string, probe: () => Promise<T | undefined | false>) =>
    eventually(
      what,
      async () => {
        if (!daemon.running) throw new Error(daemon.tail());
        return probe();
      },
      60,
    );

  for (const name of ['cni', 'kubelet', 'volume-plugins', 'pod-logs']) mkdirSync(join(folder, name));
  write('cni/10-pods.conflist', podNetworkSettings(layout));
  const containerd = start('containerd', 'containerd', [
    '--config',
    write('containerd.toml', containerdSettings(layout)),
  ]);
  const archive = makeBusyboxImage(folder);
  await waitFor(containerd, 'pause image imported', async () => importArchive(layout, archive));

  await enforcePolicies({
    kube: new KubeHttp(plane),
    network: POD_NETWORK,
    range: POD_RANGE,
    onError: (error) => appendFileSync(join(folder, 'network-policies.log'), `${new Date().toISOString()} ${error}\n`),
  });

  const user = (name: string, token: string) =>
    write(`${name}.kubeconfig`, kubeconfigOf({ url: plane.url, ca: plane.ca, token }));
  const kubelet = start('kubelet', binaries.kubelet, [
    ...['--config', write('kubelet.json', kubeletSettings(layout, clientCa))],
    ...['--kubeconfig', user('kubelet', tokens.kubelet), '--root-dir', join(folder, 'kubelet')],
    ...['--cert-dir', join(folder, 'kubelet-certs'), '--hostname-override', NODE, '--node-ip', ADDRESS],
  ]);
  const proxy = start('kube-proxy', binaries.kubeProxy, [
    ...['--kubeconfig', user('kube-proxy', tokens.kubeProxy), '--hostname-override', NODE, '--bind-address', ADDRESS],
    ...['--proxy-mode', 'nftables', '--cluster-cidr', POD_RANGE, '--conntrack-max-per-core', '0'],
    ...['--healthz-bind-address', '127.0.0.1:10256'],
  ]);
  const dns = start('coredns', binaries.coredns, ['-conf', write('Corefile', dnsSettings(layout))]);

  await waitFor(kubelet, 'node ready', async () => isReady(await plane.kube.get(`/api/v1/nodes/${NODE}`)));
  await waitFor(proxy, 'kube-proxy ready', async () => (await fetch('http://127.0.0.1:10256/healthz')).ok);
  const resolver = new Resolver({ timeout: 500, tries: 1 });
  resolver.setServers([ADDRESS]);
  await waitFor(dns, 'names of services answered', () => resolver.resolve4(`kubernetes.default.svc.${DNS_DOMAIN}`));
  return daemons;
}

const isReady = (node: KubeObject) =>
  !node.spec.taints &&
  node.status.conditions?.some(
    ({ type, status }: { type: string; status: string }) => type === 'Ready' && status === 'True',
  );
