import { describe, expect, it } from '@jest/globals';
import { createHiddenText, withoutHidden } from '../../../src/engine/script/hidden-text.ts';

const cases: readonly (readonly [text: string, shown: string])[] = [
  ['<think>x</think>Answer.', 'Answer.'],
  ['<think>\nlong. Really?\n</think>\n\nHello <b>you</b>.', '\n\nHello <b>you</b>.'],
  ['<THINK foo="1">x</THINK>ok', 'ok'],
  ['<think>a<think>b</think>c</think>d', 'd'],
  ['<thinking>a</thinking>b<reasoning>c</reasoning>d', 'bd'],
  ['<think>never ends', ''],
  ['Hi <tool_call>{"a": "<b>"}</tool_call> there', 'Hi  there'],
  ['<function=get_weather>{"x": 1}</function>Done.', 'Done.'],
  ['a <function=f>\n<parameter=x>1</parameter>\n</function> b', 'a  b'],
  ['<function_calls><invoke name="f">1</invoke></function_calls>Sunny.', 'Sunny.'],
  ['<tool_response>{"t": 20}</tool_response>It is 20 degrees.', 'It is 20 degrees.'],
  ['[THINK]x[/THINK]Yes', 'Yes'],
  ['◁think▷x◁/think▷Yes', 'Yes'],
  ['<｜tool▁calls▁begin｜>x<｜tool▁calls▁end｜>ok', 'ok'],
  ['<|START_THINKING|>x<|END_THINKING|>ok', 'ok'],
  ['<|channel|>analysis<|message|>hm<|end|><|start|>assistant<|channel|>final<|message|>Answer<|return|>', 'Answer'],
  ['<|im_start|>assistant\nHello<|im_end|>', '\nHello'],
  ['<think>x</think>\n<answer>Hello.</answer>', '\nHello.'],
  ['<response>One</response> <answers>', 'One <answers>'],
  // Words of a text
  ['The <think> tag is odd.', 'The <think> tag is odd.'],
  ['The `<think>` tag is odd, and `</think>` too.', 'The `<think>` tag is odd, and `</think>` too.'],
  ['x < y and a <b c', 'x < y and a <b c'],
  ['<thinking about it', '<thinking about it'],
  ['x [think', 'x [think'],
  ['5 <3 you', '5 <3 you'],
  ['No tags at all. [1] [pause:1s] <b>', 'No tags at all. [1] [pause:1s] <b>'],
];

describe('text that is not to be spoken', () => {
  it.each(cases)('of %j leaves %j', (text, shown) => expect(withoutHidden(text)).toBe(shown));

  it.each(cases)('of %j leaves the same however it is split', (text, shown) => {
    for (let length = 1; length <= 9; length += 1) {
      const hidden = createHiddenText();
      let seen = '';
      for (let at = 0; at < text.length; at += length) seen += hidden.push(text.slice(at, at + length));
      expect(seen + hidden.end()).toBe(shown);
    }
  });

  it('holds nothing back that is no mark', () => {
    const hidden = createHiddenText();
    expect(['Hello ', 'there <', 'b> ', 'you <thi'].map((text) => hidden.push(text))).toEqual([
      'Hello ',
      'there ',
      '<b> ',
      'you ',
    ]);
  });

  it('may begin before the text', () => expect(withoutHidden('so it is 4.\n</think>\n\nFour.')).toBe('Four.'));
});
