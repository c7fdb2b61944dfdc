/** For `--import`: the packages named in TEST_WITHOUT, separated by commas, are not installed. */
import process from 'node:process';
import { registerHooks } from '../runner/register-hooks.js';

const hooks = `
const missing = ${JSON.stringify(process.env.TEST_WITHOUT?.split(',') ?? [])};
export async function resolve(specifier, context, next) {
  if (!missing.includes(specifier)) return next(specifier, context);
  return next(specifier, { ...context, parentURL: 'file:///nowhere/module.js' });
}`;
registerHooks(`data:text/javascript,${encodeURIComponent(hooks)}`);
