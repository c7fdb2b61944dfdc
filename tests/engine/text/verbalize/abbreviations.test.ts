/** Abbreviations of languages besides English and Chinese are spoken, and end a sentence only where they can. */
import { expect, it } from '@jest/globals';
import { sentencesOf } from '../../../../src/engine/text/sentences.ts';
import { verbalizeText } from '../../../support/verbalize.ts';

it.each([
  ['de', 'Obst, z. B. Äpfel, d. h. Frisches usw.', 'Obst, zum Beispiel Äpfel, das heißt Frisches und so weiter.'],
  ['de', 'Hr. Müller, Fr. Schmidt und Dr. Meier', 'Herr Müller, Frau Schmidt und Doktor Meier'],
  [
    'de',
    'Nr. 5, S. 15, Hauptstr. 12, ca. 5 km',
    'Nummer fünf, Seite fünfzehn, Hauptstraße zwölf, circa fünf Kilometer',
  ],
  [
    'de',
    'Z.B. morgen bzw. 44 v. Chr. in Rom',
    'Zum Beispiel morgen beziehungsweise vierundvierzig vor Christus in Rom',
  ],
  ['de', 'Mo.–Fr. 9–17 Uhr', 'Montag bis Freitag neun bis siebzehn Uhr'],
  [
    'fr',
    'M. Dupont et Mme Martin, p. ex. à Paris, etc.',
    'Monsieur Dupont et Madame Martin, par exemple à Paris, et cetera.',
  ],
  [
    'fr',
    'le n° 5, p. 15, tél. 01 23 45 67 89',
    'le numéro cinq, page quinze, téléphone zéro un, deux trois, quatre cinq, six sept, huit neuf',
  ],
  [
    'es',
    'El Sr. García y la Sra. López, p. ej., núm. 5',
    'El señor García y la señora López, por ejemplo, número cinco',
  ],
  ['es', 'tel. 912 345 678', 'teléfono nueve uno dos, tres cuatro cinco, seis siete ocho'],
  ['it', 'Il Sig. Rossi, pag. 3, ecc. È bello.', 'Il signor Rossi, pagina tre, eccetera. È bello.'],
  ['it', 'nel sec. XX', 'nel secolo venti'],
  ['pt', 'O Sr. Silva, n.º 5, séc. XX', 'O senhor Silva, número cinco, século vinte'],
  [
    'nl',
    'dhr. Jansen, bijv. nu, d.w.z. blz. 3, t/m vrijdag, enz.',
    'de heer Jansen, bijvoorbeeld nu, dat wil zeggen bladzijde drie, tot en met vrijdag, enzovoort.',
  ],
  [
    'sv',
    't.ex. nr 5, ca 3 km, kl. 14.30 osv.',
    'till exempel nummer fem, cirka tre kilometer, klockan fjorton trettio och så vidare.',
  ],
  [
    'da',
    'f.eks. kl. 14.30, ca. 5 km, tlf. 12 34 56 78',
    'for eksempel klokken fjorten tredive, cirka fem kilometer, telefon et to, tre fire, fem seks, syv otte',
  ],
  ['nb', 'f.eks. her, bl.a. nr. 5, s. 3', 'for eksempel her, blant annet nummer fem, side tre'],
  [
    'fi',
    'esim. n. 5 km, klo 14.30, ks. s. 3 jne.',
    'esimerkiksi noin viisi kilometriä, kello neljätoista kolmekymmentä, katso sivu kolme ja niin edelleen.',
  ],
  ['pl', 'np. ul. Długa 5, tzn. str. 3 itd.', 'na przykład ulica Długa pięć, to znaczy strona trzy i tak dalej.'],
  ['ru', 'т. е. ул. Ленина, д. 5, кв. 10 и т. д.', 'то есть улица Ленина, дом пять, квартира десять и так далее.'],
  ['ru', 'г. Москва, на стр. 15', 'город Москва, на странице пятнадцать'],
  ['tr', 'örn. Dr. Yılmaz, No: 5, s. 3 vb.', 'örneğin doktor Yılmaz, numara beş, sayfa üç ve benzeri.'],
  ['id', 'Jl. Sudirman No. 5, dll. Bagus.', 'Jalan Sudirman nomor lima, dan lain-lain. Bagus.'],
  ['vi', 'TP. Hồ Chí Minh, v.v.', 'thành phố Hồ Chí Minh, vân vân.'],
  ['el', 'π.χ. ο κ. Παπαδόπουλος, σελ. 3', 'παραδείγματος χάρη ο κύριος Παπαδόπουλος, σελίδα τρία'],
  // Words, initials and amounts that look like abbreviations.
  ['de', 'Das ist Fr. 9.50 wert.', 'Das ist neun Schweizer Franken fünfzig wert.'],
  ['it', 'S. Freud e N. Bobbio', 'S. Freud e N. Bobbio'],
  ['ru', 'Он дал им. Потом ушёл.', 'Он дал им. Потом ушёл.'],
  ['pl', 'Jest ok. Dał im. Potem poszedł.', 'Jest ok. Dał im. Potem poszedł.'],
])('in %s: %s', (language, text, spoken) => {
  expect(verbalizeText(text, { language })).toBe(spoken);
});

it.each([
  'Wir haben Obst, z. B. Äpfel und u. a. Birnen.',
  'Das sah Hr. Müller bzw. Fr. Schmidt in St. Pauli.',
  'Je connais M. Dupont et Mme Martin, p. ex. Marie.',
  'Conozco al Sr. García y a la Dra. López, p. ej. Ana.',
  'Conosco il Sig. Rossi e la Dott.ssa Bianchi, ad es. Maria.',
  'Ik ken dhr. Jansen en mevr. Smit, bijv. Anna.',
  'Jag känner t.ex. Anna och bl.a. Erik.',
  'Jeg kender f.eks. Anna og bl.a. Erik.',
  'Tunnen esim. Annan ja mm. Erikin.',
  'Znam np. Annę i m.in. Ewę z ul. Długiej.',
  'Я живу на ул. Ленина, т. е. Рядом с парком.',
  'Kemal örn. Ankara, bkz. Sayfa.',
])('ends no sentence: %s', (text) => {
  expect([...sentencesOf(text)]).toHaveLength(1);
});
