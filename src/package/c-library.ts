import { familySync, MUSL } from 'detect-libc';

/** Whether Node.js runs on musl, as in Alpine, where native code for glibc may load and then crash. */
export const hasMusl = (): boolean => familySync() === MUSL;
