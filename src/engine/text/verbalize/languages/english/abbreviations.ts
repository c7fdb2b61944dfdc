/** Abbreviations of English, and what they stand for. */
import { tableOf } from '../../../table.ts';
import type { Place } from '../../language.ts';
import { type Cursor, endsSentence, isBehind, isNext, patternClass, take, tokenClass } from '../../place.ts';

/** Abbreviations that never end a sentence, with their periods. */
const open = tableOf(`
  Mr.=Mister|Mrs.=Missus|MR.=Mister|MRS.=Missus|DR.=Doctor|Ms.=Miz|Messrs.=Messieurs|Dr.=Doctor|Drs.=Doctors|Prof.=Professor|
  Gen.=General|Capt.=Captain|Cpt.=Captain|Lt.=Lieutenant|Sgt.=Sergeant|Col.=Colonel|Maj.=Major|Cmdr.=Commander|Cpl.=Corporal|
  Pvt.=Private|Adm.=Admiral|Gov.=Governor|Sen.=Senator|Rep.=Representative|Rev.=Reverend|Hon.=Honorable|Pres.=President|
  Supt.=Superintendent|Det.=Detective|Insp.=Inspector|Ft.=Fort|Mt.=Mount|Mts.=Mountains|e.g.=for example|E.g.=For example|
  eg.=for example|i.e.=that is|I.e.=That is|ie.=that is|vs.=versus|Vs.=Versus|cf.=compare|Cf.=Compare|viz.=namely|
  approx.=approximately|Approx.=Approximately|esp.=especially|incl.=including|excl.=excluding|resp.=respectively|ca.=circa
`);
/** May end a sentence: their period then stays. */
const closing = tableOf(`
  Jr.=Junior|Sr.=Senior|Esq.=Esquire|etc.=et cetera|Etc.=Et cetera|dept.=department|Dept.=Department|Univ.=University|
  Assn.=Association|Bros.=Brothers|Inc.=Incorporated|Ltd.=Limited|Corp.=Corporation|Co.=Company|govt.=government|
  Govt.=Government|mins.=minutes|hrs.=hours|yrs.=years|al.=al|Ave.=Avenue|Blvd.=Boulevard|Rd.=Road|Ln.=Lane|Hwy.=Highway|
  Expy.=Expressway|Pkwy.=Parkway|Apt.=Apartment|Bldg.=Building|Sq.=Square|Pl.=Place|Ct.=Court
`);
/** Before a name, titles of British English among them. */
const titles = tableOf('Mr=Mister|Mrs=Missus|Dr=Doctor|Prof=Professor');
/** Without a period. */
const plain = tableOf(`
  vs=versus|Ave=Avenue|Blvd=Boulevard|Expy=Expressway|Fwy=Freeway|Tpke=Turnpike|Pkwy=Parkway|w/o=without|w/=with|c/o=care of|
  b/c=because|n/a=not applicable|N/A=not applicable|a/c=A C|y/o=year-old|WWI=World War one|WWII=World War two|
  WW1=World War one|WW2=World War two
`);
/** Before a number only, with or without a period. */
const beforeNumber = tableOf(`
  No=number|no=number|Nos=numbers|nos=numbers|Nr=number|p=page|pp=pages|Fig=figure|Figs=figures|fig=figure|figs=figures|
  Vol=volume|Vols=volumes|vol=volume|Ch=chapter|ch=chapter|Sec=section|sec=section|Eq=equation|Eqs=equations|eq=equation|
  Art=article|art=article|para=paragraph|Para=paragraph|Pt=part|Ex=example|ex=example|Tab=table|Ref=reference|Ver=version|
  ver=version|Rte=route|Rt=route|Hwy=highway|hwy=highway|Apt=apartment|Ste=suite|Tel=telephone|tel=telephone|Ph=phone|
  ext=extension|Ext=extension|est=established|Est=established|c=circa|Op=opus
`);
/** Abbreviations by what is before them: `5th c.`, `$5 ea.`, `¾ c. sugar` */
const behindAmount: Readonly<Record<string, readonly [before: RegExp, spoken: string]>> = {
  'c.': [/\d(?:st|nd|rd|th) $/, 'century'],
  'ea.': [/\d $/, 'each'],
};
const streets = tableOf('St.=Street|Dr.=Drive');
/** Saints of places and churches. */
const saints =
  /\s(?:Louis|Paul|John|Peter|Mary|Francis|George|Helens?|Petersburg|Patrick|Nicholas|Nick|Andrews?|James|Thomas|Joseph|Moritz|Pancras|Albans?|Lucia|Kitts|Vincent|Germain|Tropez|Augustine|Michael|Mark|Luke|Matthew|Anne?|Catherine|Clair|Cloud|Croix|Martin|Stephen|Bernard|Elizabeth|Anthony|Barth|Basil|Bride|Christopher|Clement|David|Denis|Ives|Jude|Lawrence|Leonard|Margaret|Olaf|Pauli|Simon|Valentine|Teresa|Therese|Ignatius|Gallen|Agnes)(?!\p{L})/uy;
const capitalized = /(?<![\p{L}\p{N}])(?:\p{Lu}[\p{L}’']{1,20}|\d{1,3}(?:st|nd|rd|th))\s$/u;
/** Capitalized at the beginning of a sentence only. */
const functionWord =
  /(?<!\p{L})(?:The|In|At|On|Of|To|From|By|Near|And|For|With|Is|Was|See|Visit|Our|Dear|Ask|Call|Then|So|But|If|When|Meet|Hi|Hello|Yes|No|Oh|After|Before|Mount|Lake|Fort|Port|Sault|Church|Saint)\s$/u;

const dotted = /(?:\p{L}{1,8}\.){1,3}|\p{L}{1,8}(?:\/\p{L}?)?/uy;
const number = /\.?[ \u00a0]?(?=\(?\d|[IVXLC]{1,6}(?!\p{L})|#\d)/uy;

function sayStreet(place: Place, written: string, end: number): string | undefined {
  const street = streets[written];
  if (street === undefined || !capitalized.test(place.before) || functionWord.test(place.before)) return undefined;
  if (isNext(place.text, end, saints) && written === 'St.') return undefined;
  const isBeforeName = isNext(place.text, end, /\s\p{Lu}\p{Ll}/uy) && !endsSentence(place.text, end, 'typical word');
  if (isBeforeName && written === 'Dr.') return undefined;
  return street + (endsSentence(place.text, end, 'any capital') ? '.' : '');
}

/** `No. 5`, `p. 7`, `Fig. A`, `Tel:` */
function readCounted(cursor: Cursor): string | undefined {
  const [name = ''] = take(cursor, /\p{L}{1,4}(?!\p{L})/uy) ?? [];
  const counted = beforeNumber[name];
  if (counted === undefined) return undefined;
  const { text, at: end } = cursor;
  const [gap = ''] = take(cursor, number) ?? [];
  // `p95 latency`
  if (name === 'p' && gap === '' && isNext(text, cursor.at, /(?:5|9{1,3}5?)\d?(?!\d)/y)) return undefined;
  if (gap === '' && /^Figs?$/i.test(name) && take(cursor, /\.[ ](?=[A-Z](?![\p{L}]))/uy) !== undefined)
    return `${counted} `;
  const isWritten = gap.startsWith('.') || /^(?:pp?|Nr|vol|Vol|Fig|Ch|Rte|Hwy|hwy|Ste|Apt|ext|Ext|Tel|tel)$/.test(name);
  if (gap !== '' && isWritten && text[cursor.at] !== '.') return `${counted} `;
  cursor.at = end;
  return /^tel$/i.test(name) && take(cursor, /\.?(?=:)/y) !== undefined ? counted : undefined;
}

/** Letters that an abbreviation begins with. */
const firstWords = new Set(
  [open, titles, closing, plain, beforeNumber, behindAmount, streets, { WW: '' }]
    .flatMap((table) => Object.keys(table))
    .map((written) => /^\p{L}+/u.exec(written)?.[0] ?? ''),
);

export const abbreviations = tokenClass(
  { begins: 'letter', beginsWith: (word) => firstWords.has(word), behind: /(?<![.@/\w-])$/ },
  (cursor, place) => {
    const { text, start, before } = place;
    const [written = ''] = take(cursor, dotted) ?? [];
    const end = cursor.at;
    const stop = (certainty: 'any capital' | 'typical word') => (endsSentence(text, end, certainty) ? '.' : '');
    const street = sayStreet(place, written, end);
    if (street !== undefined) return street;
    if (/^St\.?$/.test(written) && isNext(text, end, written === 'St' ? saints : /\s\p{Lu}/uy)) return 'Saint';
    const openly = open[written];
    // Titles stand before a name, `Col.` and `Ft.` are something else in a table.
    if (openly !== undefined) return /^\p{Lu}/u.test(openly) && !isNext(text, end, /\s|$/uy) ? undefined : openly;
    const closed = closing[written];
    if (closed !== undefined) {
      const isNamed = !/^(?:Co|Ct|Pl|Sq)\.$/.test(written) || capitalized.test(before) || /[&,] ?$/.test(before);
      if (!isNamed || (written === 'al.' && !/ et $/.test(before))) return undefined;
      return closed + stop(/^etc/i.test(written) ? 'any capital' : 'typical word');
    }
    const [amount, measured] = behindAmount[written] ?? [];
    if (measured !== undefined && isBehind(place, amount)) return measured + stop('typical word');
    cursor.at = start;
    const counted = readCounted(cursor);
    if (counted !== undefined) return counted;
    cursor.at = start;
    const [name = ''] = take(cursor, /(?:\p{L}\/\p{L}?|WW[12]|\p{L}{1,4})(?![\p{L}\d])/uy) ?? [];
    if (plain[name] !== undefined && (name.startsWith('WW') || text[cursor.at] !== '.')) return plain[name];
    cursor.at = end;
    return titles[written] !== undefined && isNext(text, end, /[ \u00a0]\p{Lu}/uy) ? titles[written] : undefined;
  },
);

const ampersands = /\p{Lu}{1,3}&\p{Lu}{1,3}(?![\p{L}\d])/uy;

/** `AT&T`, `R&D`. */
export const letters = patternClass({ begins: 'letter', isJoined: true, isCapital: true }, ampersands, ([written]) =>
  written.replace('&', ' and '),
);
