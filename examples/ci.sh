#!/usr/bin/env bash
# CI pipeline step: one audio file per line of a text file. Copy and adapt it. Requires Node.js 20.17 or newer and npm.
#
#   examples/ci.sh texts.txt spoken
#
# SVC_PACKAGE    what npm installs where svc is missing: a file of `npm pack`, e.g. ./voxcpm-0.1.0.tgz
# SVC_MODEL      model name, e.g. voxcpm-0.5b (default: the demo model)
# SVC_CACHE_DIR  model cache; keep it between runs to download a model only once
set -euo pipefail

texts="${1:?usage: ci.sh TEXTS FOLDER}"
folder="${2:?usage: ci.sh TEXTS FOLDER}"

if ! command -v svc >/dev/null; then
  # No install scripts are needed: the package contains the native addon.
  npm install --global --ignore-scripts "${SVC_PACKAGE:?name the file that npm pack has made in a clone}"
fi

# Stops here, with suggested fixes in the log, if svc can't work on this machine.
svc doctor

# With a seed, every run writes the same files. A rerun continues an interrupted one.
options=(--input "$texts" --output-dir "$folder" --seed 7 --quiet)
if [ -n "${SVC_MODEL:-}" ]; then options+=(--model "$SVC_MODEL"); fi

attempts=0
until svc batch "${options[@]}"; do
  code=$?
  attempts=$((attempts + 1))
  # Retry network errors (exit code 7) only; other errors would repeat.
  if [ "$code" -ne 7 ] || [ "$attempts" -ge 3 ]; then exit "$code"; fi
  sleep $((attempts * 10))
done

ls -l "$folder"
