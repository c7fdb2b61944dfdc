export interface RegistryPackage {
  readonly name: string;
  readonly version: string;
  /** As in package-lock.json. */
  readonly integrity: string;
  /** Those to unpack, such as `package/LICENSE`; all if left out. */
  readonly files?: readonly string[];
}
export function cachePackage(wanted: RegistryPackage): string;
