import type { Dialect } from './dialect.ts';
import { elevenlabs } from './elevenlabs/elevenlabs.ts';
import { kokoro } from './kokoro/kokoro.ts';
import { nanoVllm } from './nano-vllm/nano-vllm.ts';
import { speaches } from './speaches/speaches.ts';
import { vllmOmni } from './vllm-omni/vllm-omni.ts';
import { voxcpmOnnx } from './voxcpm-onnx/voxcpm-onnx.ts';
import { voxcpm2Api } from './voxcpm2-api/voxcpm2-api.ts';
import { voxcpmane } from './voxcpmane/voxcpmane.ts';

/** Those that `svc serve` speaks beside the public API. */
export const dialects: readonly Dialect[] = [
  vllmOmni,
  kokoro,
  voxcpmane,
  voxcpm2Api,
  speaches,
  elevenlabs,
  nanoVllm,
  voxcpmOnnx,
];
