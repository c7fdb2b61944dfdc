/** German. */
import { romanValue } from '../classes/romans.ts';
import type { Place } from '../language.ts';
import { inContext, isBehind, isNext, patternClass } from '../place.ts';
import { decadeOf, postalCodes } from './families.ts';
import type { Gender, LanguageSettings } from './settings.ts';

const article =
  /(?<!\p{L})(?:der|die|das|dem|den|des|am|im|vom|zum|zur|beim|ins|einem|jeder|jedes|jede|ihr|ihre|ihren|sein|seine|seinen|det|dette|denne|sin|sitt)\s$/iu;
const germanDay = inContext(
  ['ordinal-n', /(?<!\p{L})(?:in|an|auf|bei|von|zu|mit|nach|seit|aus|vor|während|ab)\sder\s$/iu],
  ['ordinal', /(?<!\p{L})(?:der|die|das)\s$/iu],
  [
    'ordinal-n',
    /(?<!\p{L})(?:am|dem|den|vom|zum|beim|bis|seit|ab|des|im|einem|einer|jeden|nächsten|letzten|diesem|ihrem|seinem|unserem|ihren|seinen)\s$/iu,
  ],
  ['ordinal-r'],
);
const germanGender = inContext<Gender>(
  [
    'feminine',
    undefined,
    /\s\p{Lu}\p{L}*(?:ung|heit|keit|schaft|ion|tät|ette|inute|unde|oche|eite|asse|asche|dose|rage|ackung|tufe|telle|acht|cheibe|rise|ahl)(?!\p{L})/uy,
  ],
  ['neuter', undefined, /\s(?:Kilo|Pfund|Jahr|Glas|Dutzend|Brot)/uy],
  ['masculine', undefined, /\s\p{Lu}/uy],
);

const neuterBehind =
  /[ \u00a0](?:Kapitel|Quartal|Jahrhundert|Mal|Semester|Buch|Jahr|Bild|Tor|Spiel|Viertel)(?!\p{L})/uy;
const feminineBehind =
  /\d{1,3}\. (?:Etage|(?:Bundes)?[Ll]iga|Klasse|Halbzeit|Runde|Minute|Auflage|Mannschaft|Reihe|Staffel|Folge|Lektion|Szene|Woche|Stunde)(?!\p{L})/uy;
const preposition = /(?<!\p{L})(?:in|an|auf|bei|von|zu|mit|nach|seit|aus|vor|ab)\s$/iu;
/** Without an article, the ending of an ordinal shows the gender of its noun. */
function germanOrdinal(place: Place): string {
  const form = germanDay(place, place.start) ?? 'ordinal-r';
  return form === 'ordinal-r' && !isBehind(place, preposition) && isNext(place.text, place.start, feminineBehind)
    ? 'ordinal'
    : form;
}

/** `3.` before a noun, behind an article, and `3te`. */
const ordinalPoint = /\.(?=[ \u00a0]\p{L})|-?(?:s?te[rmns]?|ter)(?!\p{L})/uy;

/** Nouns that are counted with ordinals also where the number of an item could stand. */
const ordinalNouns =
  /\.[ \u00a0](?:Weltkriege?s?|Stock|Etage|Platz|Liga|Bundesliga|Klasse|Quartal|Halbzeit|Runde|Geburtstag\p{L}*|Jahrhunderts?|Minute|Auflage|Mal|Mannschaft|Reihe|Spieltag|Advent|Oktober|Mai|Kapitel|Teil|Akt|Szene|Staffel|Folge|Lektion|Semester)(?!\p{L})/uy;

const beforePostalCode = /(?:^|\n|\d\s?[a-z]?,\s|(?:PLZ:?|D-|str\.|straße|platz|weg|allee)\s?)$/u;
/** German nouns have capitals too, so that a street must stand before a round number. */
const germanCodes = postalCodes(beforePostalCode, (code, { before }) =>
  code.endsWith('000') && !/\d/.test(before) ? undefined : { kind: 'digits', groups: [code] },
);

const streets = /(\p{Lu}[\p{L}-]{1,30})str\.(?=[ \u00a0]\d|[,;)]|\s*$)/uy;

/** `Hauptstr. 12` of German. */
const germanStreets = patternClass('letter', streets, ([, street]) => `${street}straße`);

const german = /([IVX]{1,7})\.(?=[ \u00a0,;:)]|$)/uy;
const germanRulers =
  /(?<!\p{L})(?:Ludwig|Karl|Friedrich|Wilhelm|Heinrich|Otto|Johannes|Franz|Georg|Philipp|Leopold|Maximilian|Ferdinand|Rudolf|Josef|Benedikt|Pius|Leo|Paul|Gregor|Nikolaus|Alexander|Peter|Iwan|Gustav|Christian|Harald|Albert|August|Napoleon|Eduard|Jakob|(?:König|Kaiser|Papst|Zar|Herzog|Fürst|Prinz)\s\p{Lu}\p{Ll}{2,20})\s$/u;
const queens =
  /(?<!\p{L})(?:Elisabeth|Katharina|Margarethe|Anna|Maria|(?:Königin|Kaiserin|Zarin)\s\p{Lu}\p{Ll}{2,20})\s$/u;
const nouns =
  /[ \u00a0](?:Weltkriege?s?|Akt|Teil|Abteilung|Quartal|Jahrhunderts?|Republik|Reich(?:e?s)?|Bundesliga|Liga|Internationale)(?!\p{L})/uy;
const dative = /(?<!\p{L})(?:im|am|vom|zum|dem|des|den|nach|vor|seit)\s$/iu;

/** After a ruler's name, and before a war or an act. */
const germanRomans = patternClass('letter', german, ([, letters = ''], place, { at }) => {
  const value = romanValue(letters);
  const { spellOut } = place.language.spelling;
  if (value === undefined) return undefined;
  if (isNext(place.text, at, nouns)) return spellOut(isBehind(place, dative) ? 'ordinal-n' : 'ordinal', value);
  const article = isBehind(place, germanRulers) ? 'der' : isBehind(place, queens) ? 'die' : undefined;
  if (article === undefined) return undefined;
  const ordinal = spellOut('ordinal', value).replace(/^\p{Ll}/u, (letter) => letter.toUpperCase());
  return `${article} ${ordinal}${isNext(place.text, at, /\s*$/y) ? '.' : ''}`;
});

export const rules: LanguageSettings = {
  words: `
    operators: > größer als, < kleiner als, ≥ größer gleich, ≤ kleiner gleich, ≠ ungleich, ÷ geteilt durch, √ Wurzel aus, ≈ ungefähr;
    pointsDates: yes; telephoneWords: tel|telefon; timeWords: um; readsWeekdays: yes; score: zu;
    halves: masculine=ein halber, feminine=eine halbe, neuter=ein halbes;
    parts: 3=Drittel|Drittel, 4=Viertel|Viertel, 7=Siebtel|Siebtel, 8=Achtel|Achtel;
    currencies: Euro=EUR, Dollar=$; hundredths: EUR=Cent, USD=Cent, CHF=Rappen, GBP=Penny|Pence; countedYears: numbering-year;
    address: Punkt, at, Schrägstrich, Bindestrich, Unterstrich; articles: ein|eine|einem|einen|einer|das|dem|des|der|die; half: ein halb; to: bis;
    rates: Stk=Stück, Pers=Person, Std=Stunde, Mon=Monat, J=Jahr; yearForm: numbering-year; clock: {0} Uhr {1};
    hour: {0} Uhr; hourForm: cardinal-masculine; plus: plus; power: hoch {0}; equals: gleich; times: mal; by: mal; over: durch;
    magnitudes: Mio=Million|Millionen, Mrd=Milliarde|Milliarden, Tsd=tausend, Million=Million|Millionen, Millionen=Million|Millionen,
    Milliarde=Milliarde|Milliarden, Milliarden=Milliarde|Milliarden, Billion=Billion|Billionen, Billionen=Billion|Billionen, Bio=Billion|Billionen;
    countedRomans: Kapitel|Teil|Band|Akt|Szene|Phase|Abschnitt|Artikel|Buch|Weltkrieg|Stufe|Klasse|Hartz;
    partGender: neuter; capitalizesNouns: yes;
  `,
  abbreviations: {
    open: 'z. B.=zum Beispiel|d. h.=das heißt|u. a.=unter anderem|z. T.=zum Teil|i. d. R.=in der Regel|u. U.=unter Umständen|i. A.=im Auftrag|bzw.=beziehungsweise|ca.=circa|evtl.=eventuell|ggf.=gegebenenfalls|vgl.=vergleiche|inkl.=inklusive|exkl.=exklusive|zzgl.=zuzüglich|bspw.=beispielsweise|insb.=insbesondere|sog.=sogenannte|mind.=mindestens|v. a.=vor allem|s. o.=siehe oben|s. u.=siehe unten|Tel.=Telefon|geb.=geboren|gest.=gestorben|einschl.=einschließlich|abzgl.=abzüglich|Dipl.-Ing.=Diplomingenieur',
    small: 'max.=maximal',
    behind: 'EL=Esslöffel|TL=Teelöffel|Pck.=Packung|Pkg.=Packung|Stk.=Stück',
    titles: 'Hr.=Herr|Hrn.=Herrn|Fr.=Frau|Dr.=Doktor|Prof.=Professor|St.=Sankt',
    numbered:
      'Nr.=Nummer|S.=Seite|Abb.=Abbildung|Kap.=Kapitel|Bd.=Band|Abs.=Absatz|Art.=Artikel|Tab.=Tabelle|min.=minimal|max.=maximal',
    closing:
      'usw.=und so weiter|etc.=et cetera|u. Ä.=und Ähnliches|o. Ä.=oder Ähnliches|v. Chr.=vor Christus|n. Chr.=nach Christus|Jh.=Jahrhundert|MwSt.=Mehrwertsteuer|Std.=Stunden|Min.=Minuten|Sek.=Sekunden|Mio.=Millionen|Mrd.=Milliarden|Ct.=Cent|ct.=Cent',
  },
  names: [germanCodes],
  ordinalNouns,
  halfNoun: germanGender,
  part: (of, below) =>
    of('cardinal-neuter')
      .replace(/^sechszehn/, 'sechzehn')
      .replace(/^ein(?=hundert|tausend)/, '')
      .replace(/$/, below < 20 ? 'tel' : 'stel')
      .replace(/^\p{Ll}/u, (letter) => letter.toUpperCase()),
  mixed: (whole, part) => {
    const number = whole.replace(/eins$/, 'ein');
    return part === 'ein halb' ? `${number}einhalb` : `${number} ${part}`;
  },
  decades: {
    pattern: /(\d{2,4})(er[ns]?)(?!\p{L})/uy,
    say: (digits, suffix, place) => decadeOf(place, digits) + suffix,
  },
  dayForm: germanDay,
  clockWord: /[ \u00a0]?(?:Uhr|(?<=(?:[:.]\d|(?:um|ab|bis|gegen) )\d{1,2} ?)h)(?!\p{L})/uy,
  ordinals: ordinalPoint,
  ordinalForm: (mark, place) => (mark === '.' ? germanOrdinal(place) : 'ordinal'),
  ordinalWord: (said, mark, { text }, end) =>
    mark !== '.' ? said + mark.replace(/^.*te/, '') : isNext(text, end, neuterBehind) ? said.replace(/r$/, 's') : said,
  counted(place, end, number) {
    const gender = number === 1 ? germanGender(place, end) : undefined;
    return gender && (gender === 'feminine' ? 'cardinal-feminine' : 'cardinal-masculine');
  },
  ordinalBehind: article,
  feminineMagnitude: /^(?:Mill|Bill)/,
  feminineCurrency: /(?:Krone|Kronen|Rupie|Rupien|Lira|Rupiah)$/u,
  classes: [germanStreets, germanRomans],
};
