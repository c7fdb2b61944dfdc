/** Fields of Kokoro-FastAPI beside those of the public API: short names of voices, tags only on request, and SSML. */
import { requestError } from '../../../validation.ts';
import type { StatedBody } from '../../context/speech-dialect.ts';
import type { LiveBody } from '../../schemas/speech.ts';

export function withPublicFields<Body extends StatedBody>(body: Body): Body {
  const { voice_aliases, allow_voice_tags, ssml, input_format } = body;
  if (ssml && input_format && input_format !== 'ssml') {
    throw requestError(`ssml and the input_format "${input_format}" cannot be combined`, 'ssml');
  }
  const aliases = Object.fromEntries(
    Object.entries(voice_aliases ?? {}).map(([name, voice]) => [name, voiceOf(voice)]),
  );
  const format = ssml ? ('ssml' as const) : allow_voice_tags ? (input_format ?? ('script' as const)) : input_format;
  const named = {
    ...(body.voice && { voice: behind(aliases, typeof body.voice === 'string' ? body.voice : body.voice.id) }),
    ...(body.speaker && { speaker: behind(aliases, body.speaker) }),
  };
  // Without tags, a script would change how other texts are read.
  const isScript = format === 'script' || format === 'ssml';
  const voices = isScript && voice_aliases ? { ...aliases, ...body.voices } : body.voices;
  return { ...body, ...named, input_format: format, voices };
}

type Alias = NonNullable<LiveBody['voice_aliases']>[string];

function voiceOf(alias: Alias): string {
  if (typeof alias === 'string') return alias;
  if (alias.rate === undefined || alias.rate === null || alias.rate === 1) return alias.voice;
  throw requestError(
    'voice_aliases cannot have a rate of their own: use speed, which is of the request',
    'voice_aliases',
  );
}

/** Whatever the case of letters. */
function behind(aliases: Readonly<Record<string, string>>, name: string): string {
  const wanted = name.trim().toLowerCase();
  return Object.entries(aliases).find(([alias]) => alias.trim().toLowerCase() === wanted)?.[1] ?? name;
}
