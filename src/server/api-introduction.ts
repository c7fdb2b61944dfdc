/** Introduction of the OpenAPI document, in Markdown. */

const fence = (language: string, ...lines: readonly string[]): string =>
  ['```'.concat(language), ...lines, '```'].join('\n');

/** Examples for common clients, with the API key if the server requires one. */
export function apiIntroduction(access: 'token' | 'open'): string {
  const isLocked = access === 'token';
  const shellKey = isLocked ? [`  -H "Authorization: Bearer $SVC_API_KEY" \\`] : [];
  const pythonKey = isLocked ? `os.environ["SVC_API_KEY"]` : `"unused"`;
  return [
    'Text-to-speech and voice cloning with VoxCPM. `POST /v1/audio/speech` is compatible with the OpenAI speech API, so client libraries for it work with this server as their base URL. Replace the address in the examples with that of your server.',
    ...(isLocked ? ['This server requires an API key: choose *Authorize* to try requests on this page.'] : []),
    '## curl',
    fence(
      'sh',
      'curl http://127.0.0.1:8000/v1/audio/speech \\',
      ...shellKey,
      `  -H "Content-Type: application/json" \\`,
      `  -d '{"input": "Hello there.", "response_format": "wav"}' -o hello.wav`,
    ),
    '## Python',
    fence(
      'python',
      ...(isLocked ? ['import os', ''] : []),
      'from openai import OpenAI  # pip install openai',
      '',
      `client = OpenAI(base_url="http://127.0.0.1:8000/v1", api_key=${pythonKey})`,
      'with client.audio.speech.with_streaming_response.create(',
      '    model="svc", voice="default", input="Hello there.", response_format="wav"',
      ') as response:',
      '    response.stream_to_file("hello.wav")',
    ),
    '## JavaScript',
    fence(
      'js',
      ...(isLocked ? [`const apiKey = 'the key of the server';`] : []),
      `const response = await fetch('http://127.0.0.1:8000/v1/audio/speech', {`,
      `  method: 'POST',`,
      isLocked
        ? `  headers: { 'Content-Type': 'application/json', Authorization: \`Bearer \${apiKey}\` },`
        : `  headers: { 'Content-Type': 'application/json' },`,
      `  body: JSON.stringify({ input: 'Hello there.', response_format: 'mp3' }),`,
      '});',
      'const audio = await response.arrayBuffer();',
    ),
    'An error has a status of 400 or above and a JSON body: `{"error": {"message": "…", "type": "…", "code": "…"}}`.',
  ].join('\n\n');
}
