/** A recording inside a JSON request, as in vLLM-Omni. */
import { z } from 'zod';

const error = 'audio in base64 or a data URL (URLs of other kinds are not fetched)';

const encoded = z.string({ error }).transform((text, { issues }) => {
  const bytes = decodeBase64(text);
  if (bytes === undefined) issues.push({ code: 'custom', message: error, input: text });
  return bytes ?? z.NEVER;
});

export const encodedRecording = z
  .union(
    [
      encoded,
      z
        .array(encoded, { error })
        .length(1, { error })
        .transform(([only]) => only as Buffer),
    ],
    { error },
  )
  .nullish()
  .meta({
    description: 'Recording to clone, up to 25 MiB: base64 or a data URL. Takes precedence over `voice`.',
    examples: ['data:audio/wav;base64,UklGR…'],
  });

function decodeBase64(text: string): Buffer | undefined {
  const [prefix = ''] = /^data:[^,]{0,200},/i.exec(text) ?? [];
  const data = text.slice(prefix.length);
  if (data === '' || (prefix !== '' && !/;base64,$/i.test(prefix))) return undefined;
  const bytes = Buffer.from(data, 'base64');
  // `Buffer` skips other characters: without any, the length is as computed, which spares the search.
  const isWhole = data.length % 4 === 0 && bytes.length === Buffer.byteLength(data, 'base64');
  return isWhole || !/[^\w+/=\s-]/.test(data) ? bytes : undefined;
}
