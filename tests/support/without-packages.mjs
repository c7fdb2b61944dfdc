/** For `--import`: the packages named in TEST_WITHOUT, separated by commas, are not installed. */
import process from 'node:process';
import { registerQuietly } from '../runner/register-quietly.js';

const hooks = `
const missing = ${JSON.stringify(process.env.TEST_WITHOUT?.split(',') ?? [])};
export async function resolve(specifier, context, next) {
  if (!missing.includes(specifier)) return next(specifier, context);
  return next(specifier, { ...context, parentURL: 'file:///nowhere/module.js' });
}`;
registerQuietly(`data:text/javascript,${encodeURIComponent(hooks)}`);
