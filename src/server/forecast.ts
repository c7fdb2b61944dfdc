/** Assumed computation per character, in seconds, until a request has ended: real time. */
const assumedSeconds = 1 / 15;
/** Weight of the newest request in the moving average. */
const newestWeight = 0.2;

/** Predicts from past requests how long the speech of a text takes to compute. */
export interface Forecast {
  learn(characters: number, seconds: number): void;
  secondsFor(characters: number): number;
}

export function createForecast(): Forecast {
  let average = assumedSeconds;
  return {
    learn(characters, seconds) {
      average += newestWeight * (seconds / Math.max(1, characters) - average);
    },
    secondsFor: (characters) => characters * average,
  };
}
