#!/usr/bin/env bash
# Optimises the ONNX files in OUTPUT_DIR (or --output) and puts their matrices in the precision of --type, f32 by default.
set -euo pipefail
exec node "$(dirname "$0")/../bin/svc.js" export --format onnx --steps optimize,quantize "$@"
