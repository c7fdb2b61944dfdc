declare module 'markdown-it-mark' {
  import type { PluginSimple } from 'markdown-it';

  const mark: PluginSimple;
  // biome-ignore lint/style/noDefaultExport: as the package has it
  export default mark;
}
