import { expect, it } from '@jest/globals';
import { createForecast } from '../../../src/server/context/forecast.ts';

it('expects real time first, then learns from the requests of each model', () => {
  const { learn, secondsFor } = createForecast();
  expect(secondsFor('small', 15)).toBeCloseTo(1);
  for (let count = 0; count < 50; count += 1) {
    learn('small', 100, 0.5);
    learn('large', 100, 50);
  }
  expect(secondsFor('small', 1000)).toBeCloseTo(5, 1);
  expect(secondsFor('large', 100)).toBeCloseTo(50, 0);
  expect(secondsFor('other', 15)).toBeCloseTo(1);
});
