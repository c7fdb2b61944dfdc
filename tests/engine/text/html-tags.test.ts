import { describe, expect, it } from '@jest/globals';
import { htmlTagOf } from '../../../src/engine/text/html-tags.ts';

describe('htmlTagOf', () => {
  it.each([
    ['<p class="x">', { name: 'p', isEnd: false, pause: 'paragraph', kind: 'block' }],
    ['</P>', { name: 'p', isEnd: true, pause: 'paragraph', kind: 'block' }],
    ['<h2>', { name: 'h2', isEnd: false, pause: 'paragraph', kind: 'block' }],
    ['</h2>', { name: 'h2', isEnd: true, pause: 'heading', kind: 'block' }],
    ['<br/>', { name: 'br', isEnd: false, pause: 'line', kind: 'block' }],
    ['<em>', { name: 'em', isEnd: false, pause: undefined, kind: 'inline' }],
    ['</script>', { name: 'script', isEnd: true, pause: undefined, kind: 'silent' }],
    ['<x-note>', { name: 'x-note', isEnd: false, pause: undefined, kind: 'unknown' }],
    ['<!-- p -->', undefined],
    ['<3', undefined],
  ])('reads %s', (written, expected) => expect(htmlTagOf(written)).toEqual(expected));
});
