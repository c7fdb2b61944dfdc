/** Speech and voices for clients of ElevenLabs. */
import { describe, expect, it } from '@jest/globals';
import { decodeAudio } from '../../../../src/audio/decode/read-audio.ts';
import { bytesOf, statusAndJson } from '../../start-server.ts';
import { freshServer, sharedServer } from '../../test-server.ts';

const server = freshServer();
const text = 'hello there';
const speak = (path: string, body: object = { text }, init?: RequestInit): Promise<Response> =>
  server.post(`/v1/text-to-speech/${path}`, body, init);

interface Timed {
  readonly audio_base64: string;
  readonly alignment: { readonly characters: string[]; readonly character_end_times_seconds: number[] } | null;
}

describe('speech', () => {
  const long = sharedServer({ backend: { stopAt: 400 } });
  it.each([
    ['mp3_44100_128', 'audio/mpeg'],
    ['mp3_22050_32', 'audio/mpeg'],
    ['pcm_8000', 'audio/pcm'],
    ['wav_22050', 'audio/wav'],
    ['opus_48000_32', 'audio/ogg; codecs=opus'],
    ['ulaw_8000', 'audio/basic'],
    ['alaw_8000', 'audio/PCMA'],
  ])('is sent as %s', async (format, type) => {
    const [complete, streamed] = [
      await long.post(`/v1/text-to-speech/default?output_format=${format}`, { text }),
      await long.post(`/v1/text-to-speech/default/stream?output_format=${format}`, { text }),
    ];
    for (const response of [complete, streamed]) {
      expect([response.status, response.headers.get('content-type')]).toEqual([200, type]);
      expect(response.headers.get('x-sample-rate')).toBe(format.split('_')[1]);
    }
    const { byteLength } = await complete.arrayBuffer();
    expect(complete.headers.get('content-length')).toBe(String(byteLength));
    expect(streamed.headers.get('content-length')).toBeNull();
    expect((await streamed.arrayBuffer()).byteLength).toBeGreaterThan(0);
  });

  it('is MP3 at 44.1 kHz by default', async () => {
    const { sampleRate } = await decodeAudio(await bytesOf(speak('default')));
    expect(sampleRate).toBe(44_100);
  });

  it('uses the speed and the seed', async () => {
    const bytes = async (body: object): Promise<string> =>
      (await bytesOf(speak('default?output_format=pcm_16000', { text, ...body }))).toString('hex');
    const plain = await bytes({ seed: 7 });
    expect(await bytes({ seed: 7 })).toBe(plain);
    expect(await bytes({ seed: 7, voice_settings: { speed: 0.5 } })).not.toBe(plain);
  });

  it('ignores settings without counterpart, with a warning', async () => {
    const settings = { stability: 0.5, similarity_boost: null, use_speaker_boost: false, speed: 1 };
    const others = { previous_text: 'Well.', language_code: 'en' };
    const response = await speak('default', { text, voice_settings: settings, ...others });
    expect(response.status).toBe(200);
    expect(response.headers.get('warning')).toBe(
      '299 svc "VoxCPM has no voice_settings.stability or previous_text; they are ignored"',
    );
    expect((await speak('default', { text, model_id: 'eleven_flash_v2_5' })).headers.get('warning')).toBeNull();
  });

  it('comes with the times of characters, in one object', async () => {
    const response = await speak('default/with-timestamps?output_format=pcm_16000');
    const { audio_base64, alignment, ...rest } = (await response.json()) as Timed;
    expect(Object.keys(rest)).toEqual(['normalized_alignment']);
    const seconds = Buffer.from(audio_base64, 'base64').length / 2 / 16_000;
    expect(alignment?.characters.join('')).toBe(text);
    expect(alignment?.character_end_times_seconds.at(-1)).toBeLessThanOrEqual(seconds + 0.001);
  });

  it('comes with the times of characters, in lines', async () => {
    const sentences = Array.from({ length: 12 }, (_, n) => `This is sentence number ${n + 1}, long enough for a part.`);
    const body = { text: sentences.join(' ') };
    const response = await speak('default/stream/with-timestamps?output_format=pcm_16000', body);
    const lines = (await response.text()).trim().split('\n');
    const parts = lines.map((line) => JSON.parse(line) as Timed);
    expect(parts.length).toBeGreaterThan(1);
    expect(parts.flatMap(({ alignment }) => alignment?.characters ?? []).join('')).toBe(body.text);
    const ends = parts.flatMap(({ alignment }) => alignment?.character_end_times_seconds ?? []);
    expect(ends).toEqual([...ends].sort((a, b) => a - b));
  });
});

describe('models', () => {
  it('of ElevenLabs are the first model, others must exist', async () => {
    await server.start({ modelMatch: 'exact' });
    expect((await speak('default', { text, model_id: 'eleven_multilingual_v2' })).status).toBe(200);
    expect((await speak('default', { text, model_id: 'fake' })).status).toBe(200);
    expect(await statusAndJson(speak('default', { text, model_id: 'other' }))).toMatchObject([
      404,
      { detail: { status: 'model_not_found', message: 'unknown model "other" (available: fake)' } },
    ]);
  });

  it('are listed as an array for clients of ElevenLabs', async () => {
    const list = (headers: Record<string, string>): Promise<unknown> => server.json('/v1/models', { headers });
    expect(await list({ 'xi-api-key': 'any' })).toEqual([
      expect.objectContaining({ model_id: 'fake', name: 'fake', can_do_text_to_speech: true }),
    ]);
    expect(await list({})).toMatchObject({ object: 'list', data: [{ id: 'fake' }] });
  });
});

describe('voices', () => {
  it('have the fields of ElevenLabs and can be searched', async () => {
    const search = (query: string): Promise<unknown> => server.json(`/v2/voices${query}`);
    const { voices } = await server.json<{ voices: { voice_id: string }[] }>('/v1/voices');
    const [first] = voices;
    expect(first).toMatchObject({ voice_id: expect.any(String), name: expect.any(String), category: 'premade' });
    const page = { has_more: false, next_page_token: null };
    const headers = { 'xi-api-key': 'any' };
    const own = await server.json<{ voices: object[] }>('/v1/voices', { headers });
    const model = expect.objectContaining({ voice_id: 'default', name: 'default', category: 'premade' });
    expect(own.voices).toEqual([model, ...voices]);
    expect(await search('')).toEqual({ ...page, voices: own.voices, total_count: own.voices.length });
    expect(await search(`?search=${first?.voice_id.toUpperCase()}`)).toEqual({
      ...page,
      voices: voices.filter(({ voice_id }) => voice_id.includes(String(first?.voice_id))),
      total_count: expect.any(Number),
    });
    expect(await search('?search=nobody')).toEqual({ ...page, voices: [], total_count: 0 });
  });
});

describe('errors', () => {
  const detailOf = async (answer: Response | Promise<Response>): Promise<readonly unknown[]> => {
    const [status, { detail }] = await statusAndJson<{ readonly detail: unknown }>(answer);
    return [status, detail];
  };

  it('have a status and a message', async () => {
    await server.start({ settings: { apiKey: 'secret' }, limits: { inputCharacters: 20 } });
    const headers = { 'xi-api-key': 'secret' };
    const bad = { headers: { 'xi-api-key': 'other' } };
    const long = 'a'.repeat(21);
    for (const [answer, status, code, message] of [
      [speak('default'), 401, 'invalid_api_key', /^missing API key/],
      [speak('default', { text }, bad), 401, 'invalid_api_key', /^incorrect API key; send the header xi-api-key: KEY$/],
      [speak('nobody', { text }, { headers }), 404, 'voice_not_found', /^unknown voice "nobody"/],
      [speak('default', { text: long }, { headers }), 400, 'bad_request', /^text has 21 .*; the limit is 20$/],
      [server.fetch('/v1/voices/nobody', { headers }), 404, 'voice_not_found', /^unknown voice "nobody"/],
    ] as const)
      expect(await detailOf(answer)).toEqual([status, { status: code, message: expect.stringMatching(message) }]);
  });

  it('name a missing field and an unknown format', async () => {
    const missing = { type: 'missing', loc: ['body', 'text'], msg: 'field required' };
    expect(await detailOf(speak('default', {}))).toEqual([422, [missing]]);
    const unknown = await speak('default?output_format=mp3_8000_8');
    expect(unknown.status).toBe(422);
    expect(await unknown.text()).toMatch(/output_format must be one of mp3_22050_32, .*, got \\"mp3_8000_8\\"/);
  });

  it('report a busy server by 429', async () => {
    await server.start({ slots: 1, maxWaiting: 0 });
    const { end } = await server.occupy();
    const refused = await speak('default');
    expect(refused.headers.get('retry-after')).not.toBeNull();
    expect(await detailOf(refused)).toEqual([429, { status: 'queue_full', message: expect.any(String) }]);
    await end();
  });
});
