import { expect, it } from '@jest/globals';
import { htmlSegments } from '../../src/book/html-segments.ts';

it.each(['<p>One</p><a b="....', '<p>One</p>&lol;<speak><break t', '<a b="<\n<\n<\na'])(
  'reads a page that ends within a tag: %s',
  (page) => {
    expect(() => htmlSegments(page)).not.toThrow();
  },
);
