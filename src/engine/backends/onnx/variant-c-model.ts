import { SvcError } from '../../../errors.ts';
import type { OnnxModel, OnnxModelOptions } from './model.ts';
export async function openVariantC(_options: OnnxModelOptions): Promise<OnnxModel> {
  throw new SvcError('INTERNAL', 'soon');
}
