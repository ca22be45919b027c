#!/usr/bin/env bash
# What the analysis of a task costs as a script: the same tool commands, counts, hashes and reports, at the same
# parallelism, with nothing of Kubernetes, operator, runner, api or step frame around them. Prints the wall time in seconds.
#
#   bare.sh STORAGE tasks/<id> TASK_JSON OUT [parallelism]
#
# STORAGE and tasks/<id>: those of a task that the product has run; TASK_JSON: its task.json; OUT: an empty folder.
set -euo pipefail
storage=$1 task=$2 spec=$3 out=$4 parallel=${5:-$(nproc)}
here=$(cd "$(dirname "$0")" && pwd)
PATH=$here/../../node_modules/.bin:$PATH
# The product keeps compiled code too.
export NODE_COMPILE_CACHE=${NODE_COMPILE_CACHE:-${TMPDIR:-/tmp}/seqpanel-bare}
mkdir -p "$out"
cp "$spec" "$out/task.json"
mapfile -t samples < <(node -p 'JSON.parse(require("fs").readFileSync(process.argv[1])).spec.samples.map(s => s.name).join("\n")' "$spec")
each() { printf '%s\n' "${samples[@]}" | xargs -P "$parallel" -I{} node "$here/bare-step.ts" "$storage" "$task" "$out" "$1" {}; }
once() { node "$here/bare-step.ts" "$storage" "$task" "$out" "$1"; }
start=$(date +%s.%N)
each reads
once cohort
each call
once joint
for step in ${BARE_STEPS-annotation post-filter qc report}; do once "$step"; done
awk -v from="$start" -v to="$(date +%s.%N)" 'BEGIN { printf "%.3f\n", to - from }'
