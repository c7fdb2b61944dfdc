#!/usr/bin/env bash
# Speech in a pipeline: one audio file for each line of a text file. To be copied; needs Node 20.17 or newer and npm.
#
#   examples/ci.sh texts.txt spoken
#
# SVC_PACKAGE    what npm installs where svc is missing, e.g. voxcpm@0.1.0 or voxcpm-0.1.0.tgz
# SVC_MODEL      model by name, e.g. voxcpm-0.5b; the demo model when it is not set
# SVC_CACHE_DIR  kept between runs, so that a model is downloaded once
set -euo pipefail

texts="${1:?expected a text file as the first argument, received none}"
folder="${2:?expected a folder as the second argument, received none}"

if ! command -v svc >/dev/null; then
  # No script of any package has to run: the addon is in the package.
  npm install --global --ignore-scripts "${SVC_PACKAGE:-voxcpm}"
fi

# Ends here, with the remedy in the log, on a machine that can't speak.
svc doctor

# A seed makes the files of every run the same. What a run that was cut off has made is kept by the next one.
options=(--input "$texts" --output-dir "$folder" --seed 7 --quiet)
if [ -n "${SVC_MODEL:-}" ]; then options+=(--model "$SVC_MODEL"); fi

attempts=0
until svc batch "${options[@]}"; do
  code=$?
  attempts=$((attempts + 1))
  # 7 is the network: worth another try. Everything else would fail the same way again.
  if [ "$code" -ne 7 ] || [ "$attempts" -ge 3 ]; then exit "$code"; fi
  sleep $((attempts * 10))
done

ls -l "$folder"
