/** Entry of the process that measures one configuration. Separate processes keep memory and load times independent. */
import { toSvcError } from '../errors.ts';
import type { BenchOrder, BenchReply } from './isolate.ts';
import { tasks } from './tasks.ts';

const reply = (message: BenchReply): void => void process.send?.(message, () => process.disconnect());

process.once('message', ({ task, configuration }: BenchOrder) => {
  tasks[task](configuration).then(
    (result) => reply({ result }),
    (thrown: unknown) => {
      const { code, message } = toSvcError(thrown);
      reply({ error: { code, message } });
    },
  );
});
