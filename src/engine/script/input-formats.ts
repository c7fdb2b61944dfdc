export const turnFormats = ['auto', 'plain', 'markdown', 'ssml', 'script'] as const;

export const inputFormats = [...turnFormats, 'turns'] as const;
export type InputFormat = (typeof inputFormats)[number];
