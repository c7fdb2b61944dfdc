/** Texts for the demo model. */

const sentences = [
  'Hello there, my good friend.',
  'The morning was cold and bright.',
  'We walked along the river.',
  'Nobody knew what to say.',
  'A small boat came into the harbour.',
  'It will rain again tomorrow.',
  'Please close the door behind you.',
  'She read the letter twice.',
];

/** `count` sentences, in a different order for each number. */
export const textOf = (number: number, count: number): string =>
  Array.from({ length: count }, (_, index) => sentences[(number * 3 + index * 5 + index) % sentences.length]).join(' ');
