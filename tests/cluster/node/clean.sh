#!/bin/bash
# clean.sh FOLDER: ends the processes of the node tier whose folder this is and takes away what they leave on the machine:
# mounts, network namespaces, bridges, tables of the packet filter, control groups, the folder. It works the same after an
# orderly end and after a kill, and does nothing where nothing is left.
set -uo pipefail
FOLDER=$1
[[ "$FOLDER" == /?* ]] || { rm -f /run/seqpanel-cluster; exit 0; } # killed before it had written where: nothing was started

alive() { [[ "$(sed 's/.*) //' "/proc/$1/stat" 2>/dev/null)" == [!ZX]* ]]; } # a zombie is dead, though kill -0 succeeds
programs() { # daemons and containers' shims, known by program and folder; kubectl is the same program and is left alone
  local pid line
  for pid in $(pgrep -f -- "$FOLDER/"); do
    case $(basename "$(readlink "/proc/$pid/exe")") in
      k8s-all | coredns | containerd | containerd-shim-runc-v2)
        IFS= read -r -d '' line <"/proc/$pid/cmdline" || true
        [ "$(basename "$line")" = kubectl ] || echo "$pid" ;;
    esac
  done 2>/dev/null
}
pod_groups() { find /sys/fs/cgroup -maxdepth 2 -name kubepods -type d; }
in_pods() { pod_groups | while read -r group; do find "$group" -name cgroup.procs -exec cat {} +; done 2>/dev/null | sort -u; }
mounts() { awk -v folder="$FOLDER/" 'index($2, folder) == 1 { print $2 }' /proc/mounts | sort -r; }

for try in $(seq 100); do
  left=0
  for pid in $(programs) $(in_pods); do
    if alive "$pid"; then kill -KILL "$pid" 2>/dev/null; left=1; fi
  done
  [ $left = 1 ] || break
  sleep 0.05
done

for task in "$FOLDER"/containerd-state/io.containerd.runtime.v2.task/k8s.io/*; do # what names no folder of ours
  [ -d "$task" ] || continue
  socket=$(cat "$task/address" 2>/dev/null)
  [[ "$socket" != unix:///run/containerd/s/* ]] || rm -f "${socket#unix://}"
done
rm -f /var/lib/cni/results/seqpanel-cluster-* /var/lib/cni/results/cni-loopback-* # kept for every pod of a kubelet: of ours alone
for try in 1 2 3; do
  mounts | while read -r at; do umount "$(printf '%b' "$at")" 2>/dev/null; done
  [ -n "$(mounts)" ] || break
  sleep 0.2
done
ip link delete seqpanel-pods 2>/dev/null
ip link delete seqpanel-node 2>/dev/null
iptables -D FORWARD -i seqpanel-pods -j ACCEPT 2>/dev/null
iptables -D FORWARD -o seqpanel-pods -j ACCEPT 2>/dev/null
nft delete table ip kube-proxy 2>/dev/null
nft delete table ip6 kube-proxy 2>/dev/null
nft delete table ip seqpanel-policies 2>/dev/null
pod_groups | while read -r group; do find "$group" -depth -type d -exec rmdir {} + 2>/dev/null; done
find /var/log/containers -lname "$FOLDER/*" -delete 2>/dev/null && rmdir /var/log/containers 2>/dev/null
rm -f /var/lib/kubelet/device-plugins/kubelet.sock
rmdir /var/lib/cni/results /var/lib/cni /var/lib/kubelet/device-plugins /var/lib/kubelet 2>/dev/null # where empty

if [ -n "$(mounts)" ]; then # deleting would reach through the mount
  echo "still mounted, so $FOLDER is left:" >&2
  mounts >&2
  exit 1
fi
if [ -e "$FOLDER/.seqpanel-cluster" ]; then rm -rf "$FOLDER"; fi
rm -f /run/seqpanel-cluster
