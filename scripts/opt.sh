#!/usr/bin/env bash
# Optimizes the ONNX files in OUTPUT_DIR (or --output) and converts their matrices to the precision --type (default: f32).
set -euo pipefail
exec node "$(dirname "$0")/../bin/svc.js" export --format onnx --steps optimize,quantize "$@"
