import type { Dialect } from '../dialect.ts';
import { captionedOperations } from './captioned.ts';
import { dialogueOperation } from './dialogue.ts';
import { withPublicFields } from './fields.ts';

export const kokoro: Dialect = {
  operations: (context, limitUploads) => [
    ...captionedOperations(context, limitUploads),
    dialogueOperation(context, limitUploads),
  ],
  withPublicFields,
};
