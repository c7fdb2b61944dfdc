/** Names of models on the command line, where a file may be given by mistake. */
import { existsSync, statSync } from 'node:fs';
import { attempt, SvcError, toSvcError } from '../../errors.ts';
import { isAddress, modelName, parseModelName } from '../../hub/source.ts';
import { show } from '../../messages.ts';

/** Whether a text is the path of a model, rather than a name. */
export const isModelPath = (text: string): boolean =>
  !isAddress(text) && (/\.gguf$|^[./~\\]/i.test(text) || existsSync(text));

/** Whether a text is the path of a folder and can't be the name of a model; `./organization/name` is a path. */
export const isModelFolder = (text: string): boolean =>
  statSync(text, { throwIfNoEntry: false })?.isDirectory() === true &&
  attempt(() => parseModelName(text)) === undefined;

/** The name of a model to download, or the path of a folder. @throws SvcError MODEL_NOT_FOUND */
export const parseModelOrFolder = (text: string, option: string): string =>
  isModelFolder(text) ? text : parseNamedModel(text, option);

/** The name of a model to download. @param option takes files, for the message about one */
export function parseNamedModel(text: string, option: string): string {
  const isFile = /\.gguf$/i.test(text) && existsSync(text);
  try {
    // `folder/model.gguf` would be a repository.
    if (!isFile) {
      const name = modelName(parseModelName(text));
      // A stated branch stays: hubs have different default ones. And an address states its hub.
      return text.includes('@') || isAddress(text) ? text : name;
    }
  } catch (error) {
    if (!isModelPath(text)) throw toSvcError(error);
  }
  throw new SvcError('MODEL_NOT_FOUND', `unknown model ${show(text)}; for a file, use ${option}`);
}
