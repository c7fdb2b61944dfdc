export interface ReadmeCommands {
  /** Packages for `apt install`. */
  readonly packages: readonly string[];
  /** Installs, compiles and writes `hello.wav`. */
  readonly speak: string;
  readonly test: string;
}

/** Extracts the commands of the README's section "Two commands". */
export function readmeCommands(readme: string): ReadmeCommands {
  const section = /^## Two commands\n(.*?)^## /ms.exec(readme)?.[1] ?? '';
  const [install = '', speak, test] = [...section.matchAll(/^```sh\n(.*?)\n```$/gms)].map(([, block]) => block?.trim());
  const names = /^sudo apt install (.+)$/m.exec(install)?.[1]?.split(' ');
  if (names === undefined || speak === undefined || test === undefined) {
    throw new Error('README.md: the section "Two commands" needs three blocks: sudo apt install, npm ci and npm test');
  }
  return { packages: names, speak, test };
}
