/** Kinds of tokens that were once misread, in several languages each. */
import { expect, it } from '@jest/globals';
import { verbalizeText } from '../../../support/verbalize.ts';

it.each([
  // The period behind a magnitude is that of the sentence.
  ['en', 'It cost €2.5 million. Then she left.', 'It cost two point five million euros. Then she left.'],
  ['en', 'It took 3 thousand.', 'It took three thousand.'],
  ['de', 'Es waren 3 Milliarden. Dann kam er.', 'Es waren drei Milliarden. Dann kam er.'],
  ['de', 'Es sind 3 Mio. Euro da.', 'Es sind drei Millionen Euro da.'],
  ['fr', 'Il a 3 millions. Puis il part.', 'Il a trois millions. Puis il part.'],
  ['ru', 'Было 3 млн. Потом он ушёл.', 'Было три миллиона. Потом он ушёл.'],
  // Four groups of three digits are an amount, four bytes a machine.
  ['de', '2.000.000.000 Euro', 'zwei Milliarden Euro'],
  ['it', '2.000.000.000 di euro', 'due miliardi di euro'],
  [
    'es',
    '1.234.567.890 personas',
    'mil doscientos treinta y cuatro millones quinientos sesenta y siete mil ochocientas noventa personas',
  ],
  ['de', 'Server 192.168.0.10', 'Server einhundertzweiundneunzig Punkt einhundertachtundsechzig Punkt null Punkt zehn'],
  ['pt', 'IP 10.0.0.1', 'IP dez ponto zero ponto zero ponto um'],
  ['sv', 'IP 10.0.0.1', 'IP tio punkt noll punkt noll punkt ett'],
])('%s: %s', (language, text, spoken) => expect(verbalizeText(text, { language })).toBe(spoken));
