import type { ServerContext } from '../../context/context.ts';

/** ElevenLabs' clients always name one of its models. */
const isForeign = (name: string): boolean => /^eleven_/.test(name);

/** The name for `ServedModels.resolve`; undefined for the first model. */
export function chooseModel({ models }: ServerContext, name: string | null | undefined): string | undefined {
  if (name === undefined || name === null) return undefined;
  return models.find(name) ?? (isForeign(name) ? undefined : name);
}
