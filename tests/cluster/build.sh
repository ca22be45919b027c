#!/bin/bash
# build.sh [--where | --kind]: builds what the tests on a real Kubernetes need, once, into a cache outside the tree:
#   k8s-all  etcd, kube-apiserver, kube-controller-manager, kube-scheduler, kubelet, kube-proxy and kubectl in one binary
#   kwok     simulated nodes and pods
#   helm     installs the chart
#   coredns  names of services for pods of a real node
#   kind     clusters in containers, for npm run kind; with --kind only
# A folder's name says what it is built from, so a changed version is built anew and an old one stays usable. Cold, on 2
# cores: about 6 minutes for k8s-all and 1 to 2 for each other; afterwards nothing. --where prints the programs, builds nothing.
set -euo pipefail
cd "$(dirname "$0")"
KWOK_VERSION=v0.8.0
HELM_VERSION=v3.22.0
COREDNS_VERSION=v1.14.7
KIND_VERSION=v0.33.0
CACHE=${XDG_CACHE_HOME:-$HOME/.cache}/seqpanel/cluster
K8S=$CACHE/$(cat k8s/main.go k8s/go.mod k8s/go.sum | sha256sum | cut -c1-16)/bin
KWOK=$CACHE/kwok-$KWOK_VERSION/kwok
HELM=$CACHE/helm-$HELM_VERSION/helm
COREDNS=$CACHE/coredns-$COREDNS_VERSION/coredns
KIND=$CACHE/kind-$KIND_VERSION/kind
if [ "${1:-}" = --where ]; then printf '%s\n' "$K8S" "$KWOK" "$HELM" "$COREDNS" "$KIND"; exit 0; fi
WANTED=("$K8S/k8s-all" "$KWOK" "$HELM" "$COREDNS")
if [ "${1:-}" = --kind ]; then WANTED+=("$KIND"); fi
missing=
for program in "${WANTED[@]}"; do [ -x "$program" ] || missing=1; done
[ -n "$missing" ] || exit 0
command -v go >/dev/null || { echo "Go is not installed: the tests on a real Kubernetes are skipped" >&2; exit 3; }

mkdir -p "$CACHE"
exec 9>"$CACHE/lock"
flock 9 # a second build waits for the first and finds its work

if [ ! -x "$K8S/k8s-all" ]; then
  echo "building Kubernetes (about 6 minutes, once)"
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

install_module() { # PROGRAM PACKAGE@VERSION [linker flags]: one whose module can be installed as it is
  [ ! -x "$1" ] || return 0
  echo "building $2 (1 to 2 minutes, once)"
  local part
  part=$(dirname "$1")/part
  mkdir -p "$part"
  CGO_ENABLED=0 GOBIN=$part go install -trimpath -ldflags "-s -w ${3:-}" "$2"
  mv "$part/$(basename "$1")" "$1"
  rmdir "$part"
}
install_module "$KWOK" "sigs.k8s.io/kwok/cmd/kwok@$KWOK_VERSION"
# What helm's own release build sets; else charts are rendered and linted for Kubernetes 1.20.
HELM_FLAGS="-X helm.sh/helm/v3/internal/version.version=$HELM_VERSION"
for package in chartutil lint/rules; do
  HELM_FLAGS="$HELM_FLAGS -X helm.sh/helm/v3/pkg/$package.k8sVersionMajor=1 -X helm.sh/helm/v3/pkg/$package.k8sVersionMinor=37"
done
install_module "$HELM" "helm.sh/helm/v3/cmd/helm@$HELM_VERSION" "$HELM_FLAGS"
install_module "$COREDNS" "github.com/coredns/coredns@$COREDNS_VERSION"
if [ "${1:-}" = --kind ]; then install_module "$KIND" "sigs.k8s.io/kind@$KIND_VERSION"; fi
