import { expect, it } from '@jest/globals';
import { errorOf, statusAndJson } from './start-server.ts';
import { expectError, sharedServer } from './test-server.ts';

const server = sharedServer({ settings: { language: 'es' } });
const show = (body: object): Promise<Response> => server.post('/v1/audio/speech/text', body);

it('shows each passage that a speech request gives to the model', async () => {
  const input = [
    { text: 'It costs **$5** today.', format: 'markdown' },
    { text: '😀' },
    { text: '12 km', voice: 'nova' },
  ];
  const response = await show({ input, lexicon: { today: 'now' }, volume: 1 });
  expect(response.status).toBe(200);
  const [, { passages, warnings, ...about }] = await statusAndJson<{
    passages: { spoken: string }[];
    warnings: string[];
  }>(response);
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

  await server.hear({ input, lexicon: { today: 'now' } });
  const plain = (text: string): string => text.replace(/[^a-z]/gi, '');
  const ends = passages.map((passage) => expect.stringMatching(new RegExp(`${plain(passage.spoken)}$`)));
  expect(server.backend.texts.map(plain)).toEqual(ends);
});

it('answers texts that are silent, wrong or too long', async () => {
  expect(await (await show({ input: '😀' })).json()).toMatchObject({ passages: [], warnings: [] });
  expect(await errorOf(show({ input: '5', language: 'klingonisch!' }))).toMatchObject({ param: 'language' });
  expect(await errorOf(show({ input: '5', voice: 'nobody' }))).toMatchObject({ code: 'voice_not_found' });
  await expectError(show({ input: 'It is 5. '.repeat(8000) }), 400, { param: 'input' });
  const [, whole] = await statusAndJson<{ passages: { written: string }[] }>(show({ input: 'It is 5. '.repeat(1000) }));
  expect(whole.passages.map(({ written }) => written).join(' ')).toBe('It is 5. '.repeat(1000).trim());
});
