import { describe, expect, it } from '@jest/globals';
import { completeText } from '../../src/broker/complete-text.ts';
import { createTextFeed } from '../../src/engine/live/text-feed.ts';

const never = new AbortController().signal;

describe('completeText', () => {
  it('waits for the end of the text, without its flushes', async () => {
    const { text, push, flush, end } = createTextFeed();
    const complete = completeText(text, never);
    await push('Hello ');
    flush();
    await push('there.');
    end();
    expect(await complete).toBe('Hello there.');
  });

  it('fails with the text', async () => {
    const { text, push, fail } = createTextFeed();
    const complete = completeText(text, never);
    await push('Hello');
    fail(new Error('lost'));
    await expect(complete).rejects.toThrow('lost');
  });

  it('stops reading when it is canceled', async () => {
    const { text, push } = createTextFeed();
    const canceling = new AbortController();
    const complete = completeText(text, canceling.signal);
    await push('Hello');
    canceling.abort(new Error('gone'));
    await expect(complete).rejects.toThrow('gone');
    expect(await push('there')).toBe(false);
    await expect(completeText(createTextFeed().text, canceling.signal)).rejects.toThrow('gone');
  });
});
