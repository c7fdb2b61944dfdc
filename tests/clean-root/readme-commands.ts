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
  const find = (line: RegExp): string | undefined => line.exec(section)?.[0];
  const packages = find(/(?<=^sudo apt install ).+$/m)?.split(' ');
  const [speak, test] = [find(/^npm ci\b.*$/m), find(/^npm test$/m)];
  if (packages === undefined || speak === undefined || test === undefined) {
    throw new Error('README.md: the section "Two commands" needs the lines sudo apt install, npm ci and npm test');
  }
  return { packages, speak, test };
}
