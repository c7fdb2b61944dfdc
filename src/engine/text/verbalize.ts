export const verbalizeText = (text: string): string => text;
