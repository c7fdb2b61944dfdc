import { SvcError } from '../../errors.ts';
import { reasonOf } from '../../files/file-system.ts';

/** Writes with an error that names the path. @throws SvcError IO */
export async function onDisk<Result>(path: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw new SvcError('IO', `cannot write ${path}: ${reasonOf(error)}`, { cause: error });
  }
}
