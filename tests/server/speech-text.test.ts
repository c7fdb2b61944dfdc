import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { errorOf, post, startServer, type TestServer } from './start-server.ts';

let server: TestServer;
beforeEach(async () => {
  server = await startServer({ settings: { language: 'es' } });
});
afterEach(() => server.close());

const show = (body: object): Promise<Response> => post(`${server.url}/v1/audio/speech/text`, body);

it('shows each passage that a speech request gives to the model', async () => {
  const input = [
    { text: 'It costs **$5** today.', format: 'markdown' },
    { text: '😀' },
    { text: '12 km', voice: 'nova' },
  ];
  const response = await show({ input, lexicon: { today: 'now' }, volume: 1 });
  expect(response.status).toBe(200);
  const { passages, warnings, ...about } = (await response.json()) as {
    passages: { spoken: string }[];
    warnings: string[];
  };
  expect(about).toEqual({ model: 'fake', normalize: true });
  const common = { style: null, unreadable: [] };
  expect(passages).toEqual([
    {
      ...common,
      language: 'en',
      language_by: 'detected',
      written: 'It costs **$5** today.\n😀',
      spoken: 'It costs five dollars now.',
      voice: null,
      left_out: ['**', '**', '😀'],
    },
    {
      ...common,
      language: 'es',
      language_by: 'document',
      written: '12 km',
      spoken: 'doce kilómetros',
      voice: 'nova',
      left_out: [],
      unreadable: ['ó'],
    },
  ]);
  expect(warnings).toEqual([expect.stringContaining('volume')]);
  expect(response.headers.get('warning')).toContain('volume');
  expect(server.backend.prefixes).toEqual([]);

  const spoken = await server.speak({ input, lexicon: { today: 'now' } });
  await spoken.arrayBuffer();
  const vocabulary = JSON.parse(String(server.backend.metadata('tokenizer.huggingface.json'))).model.vocab;
  const letters = new Map(Object.entries<number>(vocabulary).map(([letter, id]) => [id, letter]));
  const given = server.backend.prefixes.map(({ tokens, audioMask }) =>
    [...tokens].map((token, index) => (audioMask[index] === 0 ? (letters.get(token) ?? '') : '')).join(''),
  );
  const plain = (text: string): string => text.replace('ó', '<unk>').replace(/[^a-z]/gi, '');
  expect(given.map(plain)).toEqual(
    passages.map((passage) => expect.stringMatching(new RegExp(`${plain(passage.spoken)}$`))),
  );
});

it('answers texts that are silent, wrong or too long', async () => {
  expect(await (await show({ input: '😀' })).json()).toMatchObject({ passages: [], warnings: [] });
  expect(await errorOf(await show({ input: '5', language: 'klingonisch!' }))).toMatchObject({ param: 'language' });
  expect(await errorOf(await show({ input: '5', voice: 'nobody' }))).toMatchObject({ code: 'voice_not_found' });
  const long = await show({ input: 'It is 5. '.repeat(8000) });
  expect([long.status, (await errorOf(long)).param]).toEqual([400, 'input']);
  const whole = (await (await show({ input: 'It is 5. '.repeat(1000) })).json()) as { passages: { written: string }[] };
  expect(whole.passages.map(({ written }) => written).join(' ')).toBe('It is 5. '.repeat(1000).trim());
});
