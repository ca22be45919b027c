/** Settings files of containerd, the pod network, the kubelet and CoreDNS. */
import { join } from 'node:path';
import { ADDRESS, DNS_DOMAIN, type Layout, POD_BRIDGE, POD_NETWORK, POD_RANGE } from './layout.ts';

export const PAUSE_IMAGE = 'localhost/pause:1';

/** Puts everything below the cluster's folder, including network namespaces, so that cleaning finds it. */
export function containerdSettings({ folder, containerdSocket }: Layout): string {
  const at = (name: string) => JSON.stringify(join(folder, name));
  return `version = 2
root = ${at('containerd')}
state = ${at('containerd-state')}
oom_score = 0
disabled_plugins = ["io.containerd.snapshotter.v1.btrfs", "io.containerd.snapshotter.v1.zfs", "io.containerd.snapshotter.v1.devmapper"]
[grpc]
  address = ${JSON.stringify(containerdSocket)}
[plugins."io.containerd.internal.v1.opt"]
  path = ${at('opt')}
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "${PAUSE_IMAGE}"
  restrict_oom_score_adj = true
  netns_mounts_under_state_dir = true
  cni = {bin_dir = "/usr/lib/cni", conf_dir = ${at('cni')}}
  [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
    runtime_type = "io.containerd.runc.v2"
    options = {SystemdCgroup = false, Root = ${at('runc')}}
`;
}

/** A bridge without masquerading: pods reach each other, services and this machine, but nothing outside. */
export function podNetworkSettings({ folder }: Layout): string {
  return JSON.stringify({
    cniVersion: '0.4.0',
    name: POD_NETWORK,
    plugins: [
      {
        type: 'bridge',
        bridge: POD_BRIDGE,
        isGateway: true,
        hairpinMode: true,
        ipam: {
          type: 'host-local',
          dataDir: join(folder, 'pod-addresses'),
          ranges: [[{ subnet: POD_RANGE }]],
          routes: [{ dst: '0.0.0.0/0' }],
        },
      },
    ],
  });
}

/** `clientCa`: the CA of clients that the kubelet accepts, that is, the API server. */
export function kubeletSettings({ folder, containerdSocket }: Layout, clientCa: string): string {
  return JSON.stringify({
    apiVersion: 'kubelet.config.k8s.io/v1beta1',
    kind: 'KubeletConfiguration',
    address: ADDRESS,
    healthzPort: 0,
    authentication: { anonymous: { enabled: false }, webhook: { enabled: false }, x509: { clientCAFile: clientCa } },
    authorization: { mode: 'AlwaysAllow' },
    containerRuntimeEndpoint: `unix://${containerdSocket}`,
    podLogsDir: join(folder, 'pod-logs'),
    volumePluginDir: join(folder, 'volume-plugins'),
    cgroupDriver: 'cgroupfs',
    failCgroupV1: false,
    failSwapOn: false,
    // A machine may forbid a lower score than its own, and containers would then not start.
    oomScoreAdj: 0,
    makeIPTablesUtilChains: false,
    clusterDNS: [ADDRESS],
    clusterDomain: DNS_DOMAIN,
    // Loaded images cannot be pulled again.
    imageGCHighThresholdPercent: 100,
    evictionHard: { 'memory.available': '200Mi', 'nodefs.available': '1%', 'imagefs.available': '1%' },
    syncFrequency: '10s',
    nodeStatusUpdateFrequency: '4s',
  });
}

/** Two blocks, because in one block `template` would also answer for services. */
export function dnsSettings({ kubeconfig }: Layout): string {
  return `${DNS_DOMAIN}:53 {
  bind ${ADDRESS}
  errors
  kubernetes ${DNS_DOMAIN} {
    kubeconfig ${kubeconfig}
  }
}
.:53 {
  bind ${ADDRESS}
  template ANY ANY . {
    rcode NXDOMAIN
  }
}
`;
}
