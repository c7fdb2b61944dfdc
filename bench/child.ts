/** Entry of the process that measures one configuration. Separate processes keep memory and load times independent. */
import { toSvcError } from '../src/errors.ts';
import type { BenchConfiguration, BenchReply } from './configuration.ts';
import { measure } from './measure.ts';

const reply = (message: BenchReply): void => void process.send?.(message, () => process.disconnect());

process.once('message', (configuration: BenchConfiguration) => {
  measure(configuration).then(
    (measurement) => reply({ measurement }),
    (thrown: unknown) => {
      const { code, message } = toSvcError(thrown);
      reply({ error: { code, message } });
    },
  );
});
