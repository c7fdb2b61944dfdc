/** Control texts: how to speak, in words. */

/** The control text without parentheses, like the official `app.py`: the model expects one pair around all of it. */
export const bareControl = (control: string | undefined): string => control?.replace(/[()（）]/gu, '').trim() ?? '';

/** Two control texts as one; undefined if both are empty. */
export const joinControls = (first: string | undefined, second: string | undefined): string | undefined =>
  [first, second].map(bareControl).filter(Boolean).join(', ') || undefined;
