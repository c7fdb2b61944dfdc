/** Code samples of the OpenAPI document, in Markdown. */

/** A page that knows its address replaces this one. */
const server = 'http://127.0.0.1:8000';

const fence = (language: string, code: string): string => `\`\`\`${language}\n${code}\n\`\`\``;

const titles = { sh: 'curl', python: 'Python', js: 'JavaScript' } as const;
type Code = Readonly<Record<keyof typeof titles, string>>;

const inMarkdown = (code: Code): string =>
  (Object.keys(titles) as (keyof Code)[])
    .map((language) => `**${titles[language]}**\n\n${fence(language, code[language])}`)
    .join('\n\n');

type Samples = Readonly<Record<SampleName, string>>;
export type SampleName = 'speech' | 'chunks' | 'events' | 'timestamps' | 'dialogue' | 'samples' | 'voice';

/** Samples of each kind of request, with `SVC_API_KEY` where a key is required. Long on purpose: a table of texts. */
export function codeSamples(access: 'token' | 'open'): Samples {
  const isLocked = access === 'token';
  const curlKey = isLocked ? `  -H "Authorization: Bearer $SVC_API_KEY" \\\n` : '';
  const pythonImport = isLocked ? 'import os\n' : '';
  const pythonKey = isLocked ? 'os.environ["SVC_API_KEY"]' : '"unused"';
  const pythonHeaders = isLocked ? `\n    headers={"Authorization": f"Bearer {os.environ['SVC_API_KEY']}"},` : '';
  const jsKey = isLocked ? 'process.env.SVC_API_KEY' : `'unused'`;
  // biome-ignore lint/suspicious/noTemplateCurlyInString: code, not a template
  const bearer = 'Authorization: `Bearer ${process.env.SVC_API_KEY}`';
  const jsonHeaders = `{ 'Content-Type': 'application/json'${isLocked ? `, ${bearer}` : ''} }`;
  const formHeaders = isLocked ? `\n  headers: { ${bearer} },` : '';
  const speechPath = '/v1/audio/speech';

  /** Ends with the body, behind which more options may follow. */
  const curl = (body: string, path = speechPath): string => `${server}${path} \\
${curlKey}  -H "Content-Type: application/json" \\
  -d '${body}'`;
  const openai = (fields = ''): string => `${pythonImport}from openai import OpenAI  # pip install openai

client = OpenAI(base_url="${server}/v1", api_key=${pythonKey})
with client.audio.speech.with_streaming_response.create(
    model="tts-1", voice="default", input="Hello there.", response_format="mp3"${fields}
) as response`;
  const httpxStream = (body: string, path = speechPath): string => `${pythonImport}import httpx  # pip install httpx

with httpx.stream(
    "POST",
    "${server}${path}",${pythonHeaders}
    json=${body},
    timeout=None,
) as response`;
  const httpxPost = (body: string): string => `${pythonImport}import httpx  # pip install httpx

response = httpx.post(
    "${server}${speechPath}",${pythonHeaders}
    json=${body},
    timeout=None,
)
response.raise_for_status()`;
  const fetched = (body: string, path = speechPath): string => `const response = await fetch('${server}${path}', {
  method: 'POST',
  headers: ${jsonHeaders},
  body: JSON.stringify(${body}),
});`;
  const refused = 'if (!response.ok) throw new Error((await response.json()).error.message);';

  const speech: Code = {
    sh: `curl ${curl('{"input": "Hello there.", "voice": "default", "response_format": "mp3"}')} \\
  -o hello.mp3`,
    python: `${openai()}:
    response.stream_to_file("hello.mp3")`,
    js: `import { writeFile } from 'node:fs/promises';
import OpenAI from 'openai'; // npm install openai

const client = new OpenAI({ baseURL: '${server}/v1', apiKey: ${jsKey} });
const response = await client.audio.speech.create({
  model: 'tts-1',
  voice: 'default',
  input: 'Hello there.',
  response_format: 'mp3',
});
await writeFile('hello.mp3', Buffer.from(await response.arrayBuffer()));`,
  };
  const chunks: Code = {
    sh: `curl -N ${curl('{"input": "Hello there.", "voice": "default", "response_format": "wav"}')} \\
  | ffplay -nodisp -autoexit -`,
    python: `${httpxStream('{"input": "Hello there.", "voice": "default", "response_format": "mp3"}')}, open("hello.mp3", "wb") as file:
    response.raise_for_status()
    for chunk in response.iter_bytes():
        file.write(chunk)`,
    js: `import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';

${fetched("{ input: 'Hello there.', voice: 'default', response_format: 'mp3' }")}
${refused}
await pipeline(response.body, createWriteStream('hello.mp3'));`,
  };
  const events: Code = {
    sh: `curl -N ${curl('{"input": "Hello there.", "voice": "default", "response_format": "mp3", "stream_format": "sse"}')}`,
    python: `import base64
import json
${openai(', stream_format="sse"')}, open("hello.mp3", "wb") as file:
    for line in response.iter_lines():
        if not line.startswith("data: "):
            continue
        event = json.loads(line.removeprefix("data: "))
        if event["type"] == "error":
            raise RuntimeError(event["error"]["message"])
        if event["type"] == "speech.audio.delta":
            file.write(base64.b64decode(event["audio"]))`,
    js: `import { createWriteStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';

${fetched("{ input: 'Hello there.', voice: 'default', response_format: 'mp3', stream_format: 'sse' }")}
${refused}
const file = createWriteStream('hello.mp3');
for await (const line of createInterface({ input: Readable.fromWeb(response.body) })) {
  if (!line.startsWith('data: ')) continue;
  const event = JSON.parse(line.slice('data: '.length));
  if (event.type === 'error') throw new Error(event.error.message);
  if (event.type === 'speech.audio.delta') file.write(Buffer.from(event.audio, 'base64'));
}
file.end();`,
  };
  const timed = '{"input": "Hello there.", "voice": "default", "stream_format": "json", "timestamps": "word"}';
  const timestamps: Code = {
    sh: `curl ${curl(timed)}`,
    python: `import base64
${httpxPost(timed)}
speech = response.json()
with open("hello.mp3", "wb") as file:
    file.write(base64.b64decode(speech["audio"]))
for word in speech["timestamps"]["items"]:
    print(word["start"], word["end"], word["text"])`,
    js: `import { writeFile } from 'node:fs/promises';

${fetched("{ input: 'Hello there.', voice: 'default', stream_format: 'json', timestamps: 'word' }")}
const speech = await response.json();
if (!response.ok) throw new Error(speech.error.message);
await writeFile('hello.mp3', Buffer.from(speech.audio, 'base64'));
for (const { start, end, text } of speech.timestamps.items) console.log(start, end, text);`,
  };
  const turns = '{"input": [{"voice": "default", "text": "Hello there.", "pause": 0.5}, {"text": "Good evening."}]}';
  const dialogue: Code = {
    sh: `curl ${curl(turns)} \\
  -o hello.wav`,
    python: `${httpxPost(turns)}
with open("hello.wav", "wb") as file:
    file.write(response.content)`,
    js: `import { writeFile } from 'node:fs/promises';

const input = [{ voice: 'default', text: 'Hello there.', pause: 0.5 }, { text: 'Good evening.' }];
${fetched('{ input }')}
${refused}
await writeFile('hello.wav', Buffer.from(await response.arrayBuffer()));`,
  };
  const samplesPath = `${speechPath}/stream`;
  const samples: Code = {
    sh: `curl -N ${curl('{"input": "Hello there."}', samplesPath)} -D headers.txt -o hello.pcm`,
    python: `${httpxStream('{"input": "Hello there."}', samplesPath)}:
    response.raise_for_status()
    print(response.headers["X-Sample-Rate"], "Hz")
    for samples in response.iter_bytes(4096):
        print(len(samples) // 2, "samples")`,
    js: `${fetched("{ input: 'Hello there.' }", samplesPath)}
${refused}
console.log(response.headers.get('X-Sample-Rate'), 'Hz');
for await (const bytes of response.body) console.log(bytes.length, 'bytes');`,
  };
  const voice: Code = {
    sh: `curl ${server}/v1/voices \\
${curlKey}  -F id=anna -F text="The words of the recording." -F audio=@anna.wav`,
    python: `${pythonImport}import httpx  # pip install httpx

with open("anna.wav", "rb") as recording:
    response = httpx.post(
        "${server}/v1/voices",${pythonHeaders.replaceAll('\n    ', '\n        ')}
        data={"id": "anna", "text": "The words of the recording."},
        files={"audio": recording},
        timeout=None,
    )
response.raise_for_status()
print(response.json()["id"])`,
    js: `import { openAsBlob } from 'node:fs';

const body = new FormData();
body.set('id', 'anna');
body.set('text', 'The words of the recording.');
body.set('audio', await openAsBlob('anna.wav'), 'anna.wav');
const response = await fetch('${server}/v1/voices', {
  method: 'POST',${formHeaders}
  body,
});
${refused}
console.log((await response.json()).id);`,
  };
  const all: Readonly<Record<SampleName, Code>> = { speech, chunks, events, timestamps, dialogue, samples, voice };
  return Object.fromEntries(Object.entries(all).map(([name, code]) => [name, inMarkdown(code)])) as Samples;
}
