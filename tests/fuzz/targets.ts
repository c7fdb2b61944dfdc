/** Formats and requests of `npm run fuzz`. To add one, export a `Target` named `target` from a file and list it here. */
const files: Readonly<Record<string, string>> = {
  gguf: './gguf.ts',
  onnx: './onnx.ts',
  torch: './torch.ts',
  m4a: './m4a.ts',
  flac: './flac.ts',
  ogg: './ogg.ts',
  mp3: './mp3.ts',
  wav: './wav.ts',
  webm: './webm.ts',
  aiff: './aiff.ts',
  caf: './caf.ts',
  script: './script.ts',
  text: './text.ts',
  body: './body.ts',
  headers: './headers.ts',
  websocket: './websocket.ts',
  wyoming: './wyoming.ts',
  lora: './lora.ts',
};

export const targetNames = Object.keys(files);

/** Module of a target. */
export function moduleOf(name: string | undefined): URL | undefined {
  if (name === undefined || !Object.hasOwn(files, name)) return undefined;
  return new URL(files[name] as string, import.meta.url);
}
