/** German and Dutch. */
import type { Place } from '../language.ts';
import { isNext } from '../place.ts';
import { germanStreets } from './abbreviations.ts';
import { germanRomans } from './roman-ordinals.ts';
import type { LanguageSettings } from './settings.ts';

const article =
  /(?<!\p{L})(?:der|die|das|dem|den|des|am|im|vom|zum|zur|beim|ins|einem|jeder|jedes|jede|ihr|ihre|ihren|sein|seine|seinen|det|dette|denne|sin|sitt)\s$/iu;
const germanDay = ({ before }: Place): string =>
  /(?<!\p{L})(?:in|an|auf|bei|von|zu|mit|nach|seit|aus|vor|während|ab)\sder\s$/iu.test(before)
    ? 'ordinal-n'
    : /(?<!\p{L})(?:am|dem|den|vom|zum|beim|bis|seit|ab|des|im|einem|einer|jeden|nächsten|letzten|diesem|der|ihrem|seinem|unserem|ihren|seinen)\s$/iu.test(
          before,
        )
      ? /(?<!\p{L})der\s$/iu.test(before)
        ? 'ordinal'
        : 'ordinal-n'
      : /(?<!\p{L})(?:die|das)\s$/iu.test(before)
        ? 'ordinal'
        : 'ordinal-r';
const germanFeminine =
  /\s\p{Lu}\p{L}*(?:ung|heit|keit|schaft|ion|tät|ette|inute|unde|oche|eite|asse|asche|dose|rage|ackung|tufe|telle|acht|cheibe|rise|ahl)(?!\p{L})/uy;
const dutchMarks = /(?:ste|de|e)(?![\p{sc=Latn}\d])/uy;
/** `3.` before a noun, behind an article. */
const ordinalPoint = /\.(?=[ \u00a0]\p{L})/uy;

export const westGermanic: Readonly<Record<string, LanguageSettings>> = {
  de: {
    score: 'zu',
    halves: { masculine: 'ein halber', feminine: 'eine halbe', neuter: 'ein halbes' },
    halfNoun: (text, end) =>
      isNext(text, end, germanFeminine)
        ? 'feminine'
        : isNext(text, end, /\s(?:Kilo|Pfund|Jahr|Glas|Dutzend|Brot)/uy)
          ? 'neuter'
          : isNext(text, end, /\s\p{Lu}/uy)
            ? 'masculine'
            : undefined,
    parts: { 3: ['Drittel', 'Drittel'], 4: ['Viertel', 'Viertel'] },
    countedYears: 'numbering-year',
    address: ['Punkt', 'at', 'Schrägstrich'],
    half: 'ein halb',
    to: 'bis',
    dayForm: germanDay,
    yearForm: 'numbering-year',
    clock: (h, m) => `${h} Uhr ${m}`,
    hour: (h) => `${h} Uhr`,
    hourForm: 'cardinal-masculine',
    clockWord: /[ \u00a0]?(?:Uhr|h)(?!\p{L})/uy,
    plus: 'plus',
    equals: 'gleich',
    times: 'mal',
    by: 'mal',
    over: 'durch',
    ordinals: ordinalPoint,
    ordinalForm: (_, place) => germanDay(place),
    counted: (text, end, number) =>
      number !== 1
        ? undefined
        : isNext(text, end, germanFeminine)
          ? 'cardinal-feminine'
          : isNext(text, end, /\s\p{Lu}/uy)
            ? 'cardinal-masculine'
            : undefined,
    magnitudes: {
      Mio: 'Million|Millionen',
      Mrd: 'Milliarde|Milliarden',
      Tsd: 'tausend',
      Millionen: 'Millionen',
      Million: 'Million',
      Milliarden: 'Milliarden',
      Milliarde: 'Milliarde',
      Bio: 'Billion|Billionen',
    },
    countedRomans: 'Kapitel|Teil|Band|Akt|Szene|Phase|Abschnitt|Artikel|Buch|Weltkrieg|Stufe|Klasse|Hartz',
    ordinalBehind: article,
    partGender: 'neuter',
    feminineMagnitude: /^(?:Mill|Bill)/,
    feminineCurrency: /(?:Krone|Kronen|Rupie|Rupien|Lira|Rupiah)$/u,
    capitalizesCurrencies: true,
    classes: [germanStreets, germanRomans],
  },
  nl: {
    halves: { any: 'een halve' },
    parts: { 3: ['derde', 'derde'], 4: ['kwart', 'kwart'] },
    countedYears: 'numbering-year',
    ruler: (ordinal) => `de ${ordinal}`,
    address: ['punt', 'apenstaartje', 'slash'],
    half: 'een half',
    to: 'tot',
    yearForm: 'numbering-year',
    clock: (h, m) => `${h} uur ${m}`,
    hour: (h) => `${h} uur`,
    clockWord: /[ \u00a0]?(?:uur|u)(?!\p{L})/uy,
    plus: 'plus',
    equals: 'is',
    times: 'keer',
    by: 'bij',
    over: 'gedeeld door',
    ordinals: dutchMarks,
    ordinalForm: () => 'ordinal',
    magnitudes: { mln: 'miljoen', mld: 'miljard', miljoen: 'miljoen', miljard: 'miljard' },
    partGender: 'neuter',
  },
};
