import { failures } from './failures.ts';
import { codeSamples } from './samples.ts';

export function introduction(access: 'token' | 'open'): string {
  return [
    'Local text-to-speech and voice cloning with VoxCPM. `POST /v1/audio/speech` is compatible with the OpenAI speech API: in any client library for it, set the base URL to this server.',
    access === 'token'
      ? 'This server requires an API key, sent as a bearer token. Choose **Authorize** to send requests from this page.'
      : 'This server requires no API key. Open an operation and choose **Execute** to send a request from this page.',
    '## Quick start',
    codeSamples(access).speech,
    '## Text as it is written',
    'A WebSocket at `/v1/audio/speech/stream` takes text while it is being written, such as by a language model, and sends the speech as it is generated, in the protocol of vLLM-Omni. OpenAPI cannot describe it: see [its documentation](https://github.com/vllm-project/vllm-omni/blob/main/docs/serving/speech_api.md#streaming-text-input-websocket).',
    '## Errors',
    'Errors have a status of 400 or above and one JSON format, for all operations:',
    `\`\`\`json\n${JSON.stringify(failures[400].example, undefined, 2)}\n\`\`\``,
    '`message` is one line, `param` the field at fault or `null`, `code` stable. Responses with status 429 and 503 have a `Retry-After` header.',
  ].join('\n\n');
}
