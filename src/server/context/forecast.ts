/** Assumed computation per character, in seconds, until a request has ended: real time. */
const assumedSeconds = 1 / 15;
const newestWeight = 0.2;

/** Predicts from past requests of a model how long the speech of a text takes to compute. */
export type Forecast = ReturnType<typeof createForecast>;

export function createForecast() {
  const averages = new Map<string, number>();
  const averageOf = (model: string): number => averages.get(model) ?? assumedSeconds;
  return {
    learn(model: string, characters: number, seconds: number): void {
      const average = averageOf(model);
      averages.set(model, average + newestWeight * (seconds / Math.max(1, characters) - average));
    },
    secondsFor: (model: string, characters: number): number => characters * averageOf(model),
  };
}
