/** Factors of speed that still sound like speech. Apart from `speed.ts`, which is loaded only to change it. */
export const speedRange = { kind: 'number', minimum: 0.25, maximum: 4 } as const;
