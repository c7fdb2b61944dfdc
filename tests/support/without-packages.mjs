/** For `--import`: the packages named in TEST_WITHOUT, separated by commas, are not installed. */
import { register } from 'node:module';
import process from 'node:process';

const hooks = `
const missing = ${JSON.stringify(process.env.TEST_WITHOUT?.split(',') ?? [])};
export async function resolve(specifier, context, next) {
  if (!missing.includes(specifier)) return next(specifier, context);
  return next(specifier, { ...context, parentURL: 'file:///nowhere/module.js' });
}`;
register(`data:text/javascript,${encodeURIComponent(hooks)}`);
