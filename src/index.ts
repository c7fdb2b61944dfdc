/** The public API. */
export { type Audio, readAudioFile } from './audio/wav.ts';
export { type AudioSink, createWavFile, createWavStream, encodeWav } from './audio/wav-encode.ts';
export type { ModelInfo, ModelLimits } from './engine/backend.ts';
export type { Engine, Progress, RunOptions, Speech, SpeechStream, SynthesizeOptions } from './engine/engine.ts';
export type { Chunk } from './engine/generate.ts';
export { createEngine } from './engine/open-engine.ts';
export type { EncodedAudio, EngineOptions, SynthesisRequest } from './engine/request.ts';
export { type ErrorCode, SvcError } from './errors.ts';
