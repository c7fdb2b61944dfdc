/** Resources of MCP clients: voices with their recordings, and speech that `speak` has returned as a link. */
import { type McpServer, ResourceTemplate } from '@modelcontextprotocol/sdk/server/mcp.js';
import { ErrorCode, McpError, type ReadResourceResult } from '@modelcontextprotocol/sdk/types.js';
import { encodeWav } from '../../audio/encode/wav-encode.ts';
import { messageOf } from '../../errors.ts';
import type { ServerContext } from '../context/context.ts';
import { base64 } from '../speech/speech-output.ts';
import type { KeptSpeech } from './kept-speech.ts';
import { plainVoice } from './voices.ts';

const voiceAddress = (id: string): string => `svc://voices/${encodeURIComponent(id)}`;

export function registerResources(
  mcp: McpServer,
  { allVoices }: ServerContext,
  { kept, owner }: { readonly kept: KeptSpeech; readonly owner: string | undefined },
): void {
  const names = async (): Promise<readonly string[]> => (await allVoices().list()).map(({ id }) => id);
  const complete = { id: async (written: string) => (await names()).filter((name) => name.startsWith(written)) };
  const list = (path: string, mimeType: string) => async () => ({
    resources: (await allVoices().list())
      .filter(({ hasRecording }) => path === '' || hasRecording)
      .map(({ id }) => ({ uri: `${voiceAddress(id)}${path}`, name: `${id}${path}`, mimeType })),
  });
  mcp.registerResource(
    'voice',
    new ResourceTemplate('svc://voices/{id}', { list: list('', 'application/json'), complete }),
    { title: 'Voice', description: 'Name, transcript and length of a voice.', mimeType: 'application/json' },
    (uri, { id }) =>
      found(uri, async () => {
        const text = JSON.stringify(plainVoice(await allVoices().get(decodeURIComponent(String(id)))));
        return { contents: [{ uri: uri.href, mimeType: 'application/json', text }] };
      }),
  );
  mcp.registerResource(
    'recording of a voice',
    new ResourceTemplate('svc://voices/{id}/audio', { list: list('/audio', 'audio/wav'), complete }),
    { title: 'Recording of a voice', description: 'The recording as a WAV file.', mimeType: 'audio/wav' },
    (uri, { id }) =>
      found(uri, async () => {
        const { samples, sampleRate } = await allVoices().recording(decodeURIComponent(String(id)));
        const blob = base64(encodeWav(samples, sampleRate, 's16'));
        return { contents: [{ uri: uri.href, mimeType: 'audio/wav', blob }] };
      }),
  );
  mcp.registerResource(
    'speech',
    new ResourceTemplate('svc://speech/{id}', { list: undefined }),
    { title: 'Speech', description: 'Audio of an earlier call of speak, while it is kept.' },
    (uri, { id }) =>
      found(uri, async () => {
        const speech = kept.find(String(id), owner);
        if (speech === undefined) throw new Error('this speech is not kept any more; call speak again');
        const { bytes, mimeType } = speech;
        return { contents: [{ uri: uri.href, mimeType, blob: base64(bytes) }] };
      }),
  );
}

/** Reads a resource; what is missing is an error that the protocol has a code for. */
async function found(uri: URL, read: () => Promise<ReadResourceResult>): Promise<ReadResourceResult> {
  try {
    return await read();
  } catch (error) {
    throw new McpError(ErrorCode.InvalidParams, `${uri.href}: ${messageOf(error)}`);
  }
}
