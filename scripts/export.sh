#!/usr/bin/env bash
# Exports a checkpoint to ONNX. Reads MODEL_PATH, OUTPUT_DIR, TIMESTEPS and CFG_VALUE from the environment, or options.
set -euo pipefail
exec node "$(dirname "$0")/../bin/svc.js" export --format onnx "$@"
