export interface ReadmeCommands {
  /** What `apt install` is given. */
  readonly packages: readonly string[];
  /** Installs, compiles and speaks into `hello.wav`. */
  readonly speak: string;
  readonly test: string;
}

/** Takes what a newcomer types from the section "Two commands" of the README. */
export function readmeCommands(readme: string): ReadmeCommands {
  const section = /^## Two commands\n(.*?)^## /ms.exec(readme)?.[1] ?? '';
  const [install = '', speak, test] = [...section.matchAll(/^```sh\n(.*?)\n```$/gms)].map(([, block]) => block?.trim());
  const names = /^sudo apt install (.+)$/m.exec(install)?.[1]?.split(' ');
  if (names === undefined || speak === undefined || test === undefined) {
    throw new Error('README.md: the section "Two commands" needs three blocks: sudo apt install, npm ci and npm test');
  }
  return { packages: names, speak, test };
}
