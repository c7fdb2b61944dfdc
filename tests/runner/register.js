/** For `--import`: loads TypeScript, the sources as they were compiled before the tests. */
import { register } from 'node:module';
import { register as registerTypeScript } from 'tsx/esm/api';

registerTypeScript();
register('./resolve.js', import.meta.url);
