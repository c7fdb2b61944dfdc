/** The formats that `npm run fuzz` knows: files that export a `Target` named `target`. A new one is such a file and a line here. */
const files: Readonly<Record<string, string>> = {
  gguf: './gguf.ts',
  onnx: './onnx.ts',
  m4a: './m4a.ts',
  flac: './flac.ts',
  ogg: './ogg.ts',
  mp3: './mp3.ts',
  wav: './wav.ts',
};

export const targetNames = Object.keys(files);

/** Where a target's code is. */
export function moduleOf(name: string | undefined): URL | undefined {
  if (name === undefined || !Object.hasOwn(files, name)) return undefined;
  return new URL(files[name] as string, import.meta.url);
}
