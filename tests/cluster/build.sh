#!/bin/bash
# build.sh [--where]: builds what the tests on a real control plane need, once, into a cache outside the tree:
#   k8s-all  etcd, kube-apiserver, kube-controller-manager, kube-scheduler, kubelet, kube-proxy and kubectl in one binary
#   kwok     simulated nodes and pods
# The folder's name is a hash of what it is built from, so a changed version is built anew and an old one stays usable.
# Cold: about 6 minutes on 2 cores for k8s-all, 1.5 for kwok; afterwards nothing. --where prints the folders and builds nothing.
set -euo pipefail
cd "$(dirname "$0")"
KWOK_VERSION=v0.8.0
CACHE=${XDG_CACHE_HOME:-$HOME/.cache}/seqpanel/cluster
K8S=$CACHE/$(cat k8s/main.go k8s/go.mod k8s/go.sum | sha256sum | cut -c1-16)/bin
KWOK=$CACHE/kwok-$KWOK_VERSION
if [ "${1:-}" = --where ]; then echo "$K8S"; echo "$KWOK"; exit 0; fi
if [ -x "$K8S/k8s-all" ] && [ -x "$KWOK/kwok" ]; then exit 0; fi
command -v go >/dev/null || { echo "Go is not installed: the tests on a real control plane are skipped" >&2; exit 3; }

mkdir -p "$CACHE"
exec 9>"$CACHE/lock"
flock 9 # a second build waits for the first and finds its work

if [ ! -x "$K8S/k8s-all" ]; then
  echo "building the Kubernetes control plane (about 6 minutes, once)"
  VERSION=$(awk '$1 == "k8s.io/kubernetes" && NF == 2 { print $2 }' k8s/go.mod)
  MINOR=$(echo "$VERSION" | cut -d. -f2)
  FLAGS="-s -w"
  for package in k8s.io/component-base/version k8s.io/client-go/pkg/version; do
    FLAGS="$FLAGS -X $package.gitVersion=$VERSION -X $package.gitMajor=1 -X $package.gitMinor=$MINOR -X $package.gitTreeState=clean -X $package.buildDate=2026-01-01T00:00:00Z"
  done
  mkdir -p "$K8S"
  (cd k8s && CGO_ENABLED=0 go build -trimpath -ldflags "$FLAGS" -o "$K8S/k8s-all.part" .)
  for name in etcd kube-apiserver kube-controller-manager kube-scheduler kubelet kube-proxy kubectl; do
    ln -sf k8s-all "$K8S/$name"
  done
  mv "$K8S/k8s-all.part" "$K8S/k8s-all"
fi
if [ ! -x "$KWOK/kwok" ]; then
  echo "building kwok $KWOK_VERSION (about 1.5 minutes, once)"
  mkdir -p "$KWOK/part"
  CGO_ENABLED=0 GOBIN=$KWOK/part go install -trimpath -ldflags "-s -w" "sigs.k8s.io/kwok/cmd/kwok@$KWOK_VERSION"
  mv "$KWOK/part/kwok" "$KWOK/kwok"
  rmdir "$KWOK/part"
fi
