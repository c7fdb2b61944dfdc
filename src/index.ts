/** The public API. */

export type { Audio } from './audio/audio.ts';
export { type DecodeOptions, decodeAudio, readAudioFile } from './audio/decode/read-audio.ts';
export {
  type AudioEncoder,
  type AudioFormatName,
  audioFormats,
  type ByteOverwrite,
  createAudioFile,
  createAudioStream,
  createEncoder,
  createWavFile,
  createWavStream,
  type EncoderOptions,
  encodeAudio,
  encodeWav,
  formatOfPath,
} from './audio/encode/format.ts';
export type { AudioSink, Sink, WriteBytes } from './audio/encode/sink.ts';
export { createTaggedFile, type TaggedFileOptions, type TaggedFormatName } from './audio/encode/tagged-file.ts';
export type { AudioTags, ChapterMark, Picture } from './audio/encode/tags.ts';
export type { SampleFormat } from './audio/encode/wav-encode.ts';
export { createSpeed, type Speed } from './audio/resample/speed.ts';
export type { Transform } from './audio/transform.ts';
export type {
  Book,
  Chapter,
  Cover,
  ReadBookOptions,
} from './book/book.ts';
export { type Cast, castChapters, parseCast, type SpokenCast } from './book/cast.ts';
export {
  type ChapterChoice,
  type ChapterNumbers,
  chooseChapters,
  parseChapterNumbers,
} from './book/chapter-numbers.ts';
export { type KeptKind, type LeftOutKind, leftOutKinds } from './book/left-out.ts';
export { type ListedChapter, type ListedChapters, listChapters } from './book/list-chapters.ts';
export { readBook } from './book/read-book.ts';
export type { Section, SpokenChapter } from './book/sections.ts';
export { suggestCast } from './book/suggest-cast.ts';
export { type CaptionFormat, type CaptionOptions, formatCaptions } from './captions/captions.ts';
export { readCaptions, type SpokenCue } from './captions/read-captions.ts';
export { createEngine, type LibraryEngineOptions } from './create-engine.ts';
export { type DubbedSpeech, type DubOptions, type DubRequest, dubCaptions } from './dub/dub-captions.ts';
export type { DubbedCue, DubFit } from './dub/dub-cues.ts';
export type { ModelInfo, ModelLimits, VoiceMemory } from './engine/backend.ts';
export type { Problem } from './engine/bad-case.ts';
export type {
  Attempt,
  Engine,
  LiveSpeechRequest,
  PartStream,
  PartsOptions,
  Progress,
  SpeechChunk,
  SpeechStream,
  SpokenPart,
  SynthesizeOptions,
} from './engine/engine.ts';
export type { EngineOptions } from './engine/engine-options.ts';
export type { Chunk } from './engine/generate.ts';
export type { LexiconEntry } from './engine/lexicon/lexicon.ts';
export type { LiveText } from './engine/live/live-text.ts';
export { createTextFeed, type TextFeed, type TextFeedOptions } from './engine/live/text-feed.ts';
export type { AdapterInfo, AdapterOptions, Adapters } from './engine/lora/adapter-catalog.ts';
export type { EngineAdapters } from './engine/lora/loaded-adapters.ts';
export type { EngineCallbacks } from './engine/open-engine.ts';
export type { LanguageSource, PassagePreview, TextPreview } from './engine/plan/preview.ts';
export type { Recognize } from './engine/recognize.ts';
export type { SynthesisRequest } from './engine/request.ts';
export type { InputFormat } from './engine/script/input-formats.ts';
export type { Speech } from './engine/speech.ts';
export type { ScriptVoice, SpeechRequest } from './engine/speech-request.ts';
export type { RunOptions, SpeechSource } from './engine/speech-source.ts';
export type { TimedSentence, TimedWord } from './engine/timing/timed-text.ts';
export type { EncodedAudio } from './engine/voice-fields.ts';
export { type ErrorCode, SvcError } from './errors.ts';
export { openPostgresVoiceStore } from './voices/postgres-store.ts';
export { openSqliteVoiceStore } from './voices/sqlite-store.ts';
export {
  type AddVoiceOptions,
  addVoice,
  findVoice,
  loadVoice,
  type VoiceRecording,
  type VoiceRequest,
} from './voices/voice-service.ts';
export type {
  EncodingInfo,
  NewVoice,
  RecordingInfo,
  Voice,
  VoiceEncoding,
  VoiceRecord,
  VoiceRole,
  VoiceStore,
} from './voices/voice-store.ts';
