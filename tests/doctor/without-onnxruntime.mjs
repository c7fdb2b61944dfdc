/** For `--import`: onnxruntime-node is not there, as where npm left the optional package out. */
import { register } from 'node:module';

const hooks = `
export async function resolve(specifier, context, next) {
  if (specifier !== 'onnxruntime-node') return next(specifier, context);
  return next(specifier, { ...context, parentURL: 'file:///nowhere/module.js' });
}`;
register(`data:text/javascript,${encodeURIComponent(hooks)}`);
