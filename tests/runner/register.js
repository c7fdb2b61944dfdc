/** For `--import`: loads TypeScript, the sources as they were compiled before the tests. */
import { register as registerTypeScript } from 'tsx/esm/api';
import { quietly, registerQuietly } from './register-quietly.js';

quietly(registerTypeScript);
registerQuietly('./resolve.js', import.meta.url);
