/** Reads SubRip, as a player does. */

export interface ReadCue {
  /** Seconds. */
  readonly start: number;
  readonly end: number;
  readonly lines: readonly string[];
}

const times = /^(\d{2,}):(\d{2}):(\d{2}),(\d{3}) --> (\d{2,}):(\d{2}):(\d{2}),(\d{3})$/;

/** @throws Error where a player would stop */
export function cuesIn(subRip: string): readonly ReadCue[] {
  return subRip
    .trim()
    .split(/\n\n+/)
    .map((block, index) => {
      const [number, time = '', ...lines] = block.split('\n');
      const found = times.exec(time);
      if (Number(number) !== index + 1 || found === null || lines.length === 0) throw new Error(`not a cue: ${block}`);
      const [start, end] = [found.slice(1, 5), found.slice(5, 9)].map(
        ([hours, minutes, seconds, milliseconds]) =>
          Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds) + Number(milliseconds) / 1000,
      ) as [number, number];
      return { start, end, lines };
    });
}
