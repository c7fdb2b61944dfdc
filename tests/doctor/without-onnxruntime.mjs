/** For `--import`: hides onnxruntime-node, as if npm had omitted the optional package. */
import { register } from 'node:module';

const hooks = `
export async function resolve(specifier, context, next) {
  if (specifier !== 'onnxruntime-node') return next(specifier, context);
  return next(specifier, { ...context, parentURL: 'file:///nowhere/module.js' });
}`;
register(`data:text/javascript,${encodeURIComponent(hooks)}`);
