import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { exportOnnx } from '../../../export/onnx/export-onnx.ts';
import { modelPrecisions } from '../../../export/onnx/precision.ts';
import { toSvcError } from '../../../src/errors.ts';
import { createRandom } from '../../fuzz/random.ts';
import { rounds } from '../../support/rounds.ts';
import { sharedFolder } from '../../support/test-folder.ts';

const fixtures = join(process.cwd(), 'tests', 'fixtures');
/** FUZZ_ROUNDS sets more. */
const mutations = Number(process.env.FUZZ_ROUNDS ?? rounds(6, 20));

/** Location of each file's structure; mutated weights would only be other weights. */
const cases = [
  { name: 'tiny-v1', file: 'config.json', start: 0, end: 1 },
  { name: 'tiny-v1', file: 'pytorch_model.bin', start: 0, end: 0.05 },
  { name: 'tiny-v1', file: 'audiovae.pth', start: 0.9, end: 1 },
  { name: 'tiny-v2', file: 'config.json', start: 0, end: 1 },
  { name: 'tiny-v2', file: 'model.safetensors', start: 0, end: 0.05 },
  { name: 'tiny-v2', file: 'audiovae.safetensors', start: 0, end: 0.05 },
] as const;

describe.each(cases)('mutations of $name/$file', ({ name, file, start, end }) => {
  const folder = sharedFolder();
  beforeAll(async () => {
    await cp(join(fixtures, name, 'checkpoint'), folder, { recursive: true });
  });

  it('are exported or refused with a coded one-line error', async () => {
    const original = await readFile(join(folder, file));
    const random = createRandom(20261103);
    const [first, length] = [Math.floor(original.length * start), Math.ceil(original.length * (end - start))];
    const outcomes = { exported: 0, refused: 0 };
    for (let round = 0; round < mutations; round += 1) {
      const mutated = Buffer.from(original);
      for (let count = 1 + random(3); count > 0; count -= 1) {
        // Replaces digits by digits, so that configs stay valid but change.
        const at = first + random(length);
        const isDigit = file === 'config.json' && /\d/.test(String.fromCharCode(mutated[at] ?? 0));
        mutated[at] = isDigit ? 48 + random(10) : random(256);
      }
      await writeFile(join(folder, file), random(8) === 0 ? mutated.subarray(0, random(mutated.length)) : mutated);
      // The optimizer sees no weights, only the shapes of the config.
      const steps = file === 'config.json' ? {} : { steps: ['build'] as const };
      const settings = { checkpoint: folder, output: join(folder, 'onnx'), types: modelPrecisions.f32, ...steps };
      const error = await exportOnnx(settings).then(
        () => undefined,
        (thrown: unknown) => toSvcError(thrown),
      );
      outcomes[error === undefined ? 'exported' : 'refused'] += 1;
      if (error === undefined) continue;
      expect({ round, code: error.code, message: error.message }).toMatchObject({ code: 'MODEL_INVALID' });
      expect(error.message).not.toContain('\n');
    }
    expect(outcomes.refused).toBeGreaterThan(0);
  });
});
