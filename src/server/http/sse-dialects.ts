/** Event names of `stream_format: sse`: those of the public speech API or of VoxCPM.cpp's server. */
export const sseDialects = ['public', 'native'] as const;
export type SseDialect = (typeof sseDialects)[number];
