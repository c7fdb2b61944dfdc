/** For `--import`: loads TypeScript, the sources as they were compiled before the tests. */
import { register as registerTypeScript } from 'tsx/esm/api';
import { quietly, registerHooks } from './register-hooks.js';

quietly(registerTypeScript);
registerHooks('./resolve.js', import.meta.url);
