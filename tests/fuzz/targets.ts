/** Formats and requests of `npm run fuzz`. To add one, export a `Target` named `target` from a file and list it here. */
export const targetNames: readonly string[] = [
  ...['gguf', 'onnx', 'torch', 'm4a', 'flac', 'ogg', 'mp3', 'wav', 'webm', 'aiff', 'caf', 'script', 'text', 'body'],
  ...['headers', 'websocket', 'wyoming', 'lora'],
];

/** Module of a target. */
export function moduleOf(name: string | undefined): URL | undefined {
  return name !== undefined && targetNames.includes(name) ? new URL(`./${name}.ts`, import.meta.url) : undefined;
}
