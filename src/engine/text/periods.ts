/** Whether a period belongs to the word before it: to an abbreviation, an initial, an ordinal or the number of an item. */
import { cldrAbbreviations } from './generated/cldr-abbreviations.ts';

/** Marks that may end a sentence. */
export interface Mark {
  readonly text: string;
  readonly sentenceStart: number;
  readonly start: number;
  /** End of the terminating marks. */
  readonly marksEnd: number;
  /** End of closing quotes and brackets after them. */
  readonly end: number;
}

/** Maximum lookaround, to stay linear in text without spaces. */
const reach = 48;

/** `iPhone` and `eBay` may begin a sentence. */
export const startsLower = (text: string): boolean => /^\p{Ll}(?!\p{Lu})/u.test(text);

const firstWord = (text: string): string => (/^[\p{L}'’]+/u.exec(text)?.[0] ?? '').toLowerCase().replace('’', "'");

const startsUsually = (text: string): boolean => sentenceStarters.has(firstWord(text));

/** Up to a period, in the scripts whose abbreviations have one. */
const lastWord =
  /(?:[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Devanagari}\p{Script=Thai}\p{Script=Lao}\p{M}\p{N}.'’&°-]|(?<=\p{Script=Hebrew})["״׳])*$/u;
/** `3.` in `am 3. Mai` and `das 19. Jahrhundert` of German. */
const ordinal = /(?<![\p{L}\p{N}.,])\d{1,3}$/u;
const month =
  /^(?:Januar|Jänner|Februar|März|April|Mai|Juni|Juli|August|September|Oktober|November|Dezember|Jahrhunderts?|Jh|Weltkrieg(?:e?s)?)(?!\p{L})/u;
const determined =
  /(?<!\p{L})(?:der|die|das|den|dem|des|am|im|vom|zum|zur|beim|ins|ihr|ihre|ihren|sein|seine|seinen|jeder|jedes|jede)\s\d{1,3}$/iu;
/** `3. 5.` in `am 3. 5. 2026` of German. */
const date = /(?<!\d)\d{1,2}\.[ \u00a0]\d{1,2}$/u;
/** `z. B.` and `d. h.` of German, also at the beginning of a sentence; `e. g.`, `p. ex.`, `т. е.` */
const openWithSpaces =
  /(?<!\p{L})(?:z\. ?[bt]|d\. ?h|u\. ?[au]|v\. ?a|i\. ?[ad]|i\. ?d\. ?r|m\. ?a\. ?w|e\. ?g|i\. ?e|p\. ?(?:ex|ej|es)|ad es|т\. ?[екнч])$/iu;
const weekdays = new Set(['Mon', 'Tue', 'Tues', 'Wed', 'Thu', 'Thur', 'Thurs', 'Fri', 'Sat', 'Sun']);
const dayOfYear = /^(?:\d|(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6}\.?\s\d)/u;
/** `1990 г.` of Russian and `1990 r.` of Polish; without a number the letter abbreviates another word. */
const yearAbbreviation = /\d\s?(?:гг?|r|rr)$/u;

/** @param next the following text without opening punctuation */
export function isAbbreviated({ text, sentenceStart, start, end, marksEnd }: Mark, next: string): boolean {
  const from = Math.max(sentenceStart, start - reach);
  const before = text.slice(from, start);
  const word = lastWord.exec(before)?.[0] ?? '';
  if (ordinal.test(before) && (month.test(next) || (determined.test(before) && !startsUsually(next)))) return true;
  if (date.test(before) && /^\d/.test(next)) return true;
  if (openWithSpaces.test(before)) return true;
  if (weekdays.has(word) && dayOfYear.test(next)) return true;
  if (yearAbbreviation.test(before)) return false;
  // `1.`, `a.` and `iv.` before a sentence number it.
  const alone = before.replace(/^\s*[•⁃◦‣▪●]/u, '').trim() === word && from === sentenceStart;
  if (alone && /^(?:\d{1,3}|\p{L}|[ivx]{1,4}|[IVX]{1,4}|\d{1,3}(?:\.\d{1,3})+)$/u.test(word)) return true;
  if (end > marksEnd || labelled.test(before)) return false;
  if (academicFields.has(word.toLowerCase()) && degree.test(before)) return true;
  if (measure.test(before) && unitAbbreviations.has(word.toLowerCase())) return /^\d/.test(next);
  if (clockTime.test(before) || era.test(before)) {
    const clause = from === sentenceStart ? before : undefined;
    return (clockTime.test(before) && timeContinuation.test(next)) || opensSentence(clause, next);
  }
  return isAbbreviation(word, next);
}

/** A letter that names one of several, as in `Fig. A.` and `vitamin C.`, is no initial. */
const labelled =
  /(?<!\p{L})(?:figs?|eqs?|vols?|ch|chap|sec|appx?|bldg|rm|pt|plan|part|section|appendix|figure|table|class|grade|type|group|team|vitamin|hepatitis|exhibit|option|room|gate)\.?\s\p{Lu}$/iu;
/** `Dr. med.`, `Prof. Dr. rer. nat.`, `Dr. h. c.`, up to the last word. */
const degree =
  /(?<!\p{L})(?:Dr|Drs|Mag|Dipl|Prof|Lic|Cand|cand|Stud|stud)\.(?:[ \u00a0]?-?\p{L}{1,8}\.){0,6}[ \u00a0]?\p{L}{1,8}$/u;
/** `2 lb.` in `2 lb. 4 oz.` */
const measure = /\d[ \u00a0]?\p{L}{1,5}$/u;
const clockTime = /\d[ \u00a0]?[ap]\.?m$/iu;
const era = /\d[ \u00a0]?(?:b\.c|b\.c\.e|c\.e|a\.d)$/iu;
/** A time zone, a day or a date belongs to the time before it. */
const timeContinuation =
  /^(?:(?:Eastern|Central|Pacific|Mountain|Atlantic)(?=\s*(?:[,.;:!?)]|$|\p{Ll}|[TSD]))|(?:UTC|GMT|[ECMPA][SD]?T|BST|CES?T|EES?T|WES?T|IST|JST|KST|HK?T|SGT|AE[SD]T|Zulu|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)days?)(?!\p{L})|(?:(?:Jan|Febr)uary|March|April|May|June|July|August|(?:Septem|Octo|Novem|Decem)ber)\s\d)/u;

/** Whether a sentence is only a time so far, as `At 5 a.m.` or `In 44 B.C.`, so that the words after it belong to it. */
function opensSentence(clause: string | undefined, next: string): boolean {
  if (clause === undefined || (startsUsually(next) && !pronoun.test(next))) return false;
  const words = clause.toLowerCase().match(/[\p{L}\p{N}.:'’]+/gu) ?? [];
  return words.every((word) => /^\d/.test(word) || closingAbbreviations.has(word) || timeWords.has(word));
}

const pronoun = /^(?:I|He|She|We|They|It|You|My|His|Her|Our|Their)(?!\p{L})/u;

/** Thai and Lao abbreviate to consonants; their sentences end without a mark. */
const consonants = /^(?:[ก-ฮ]{1,5}|[ກ-ຮ]{1,5})(?:\.(?:[ก-ฮ]{1,5}|[ກ-ຮ]{1,5}))*$/u;
/** Initials and letters with periods: `J. R. R.`, `J.-P.`, `U.S.`; a letter alone where there are no capitals. */
const initials = /^(?:\p{Lu}|[\p{Script=Hebrew}\p{Script=Arabic}]|(?:\p{L}\.-?)+\p{L})$/u;
/** `Univ.-Prof.`, `Dipl.-Ing.`, `Priv.-Doz.` of German. */
const compound = /^(?:\p{Lu}\p{L}{0,8}\.-)+\p{L}{1,10}$/u;
/** `s. 5` and `v. 1990`, as pages and years have it in many languages; `z. B.` of German. */
const lowerLetter = /^\p{Ll}$/u;
/** `L’avv.` of Italian and French. */
const elision = /^\p{L}{1,5}['’]/u;
const roman = /^[IVXLC]+(?!\p{L})/u;
const singleCapital = /^\p{Lu}(?![\p{L}'’])/u;
/** Words of their own, which also begin sentences. */
const capitalWord = /^[AI](?=\s+\p{Ll})/u;

/** Whether `written` before a period is an abbreviation that does not end its sentence. */
export function isAbbreviation(written: string, next: string): boolean {
  const word = written.replace(elision, '');
  const lower = word.toLowerCase();
  if (openAbbreviations.has(lower) || capitalizedAbbreviations.has(word) || consonants.test(word)) return true;
  if (compound.test(word)) return true;
  const isDoubtful = doubtfulAbbreviations.has(lower);
  if (numberAbbreviations.has(lower) || /str$/.test(lower)) {
    if (/^[#№\d]/u.test(next)) return true;
    // `Fig. A`, but not "He said no. A man came."
    if (labels.has(lower))
      return (roman.test(next) || singleCapital.test(next)) && (/^\p{Lu}/u.test(word) || !capitalWord.test(next));
    return roman.test(next) && !capitalWord.test(next);
  }
  if (lowerLetter.test(word) && !isDoubtful) return /^[#\d]|^\p{Lu}\./u.test(next);
  if (closingAbbreviations.has(lower)) return lower === 'a.d' && /^\d/.test(next);
  if (!initials.test(word) && !isDoubtful) return false;
  // A single letter may be an initial before any name.
  return !startsUsually(next) && (word.length === 1 || !foreignStarters.has(firstWord(next)));
}

/** @param list of words, also behind the names of their languages: `Dutch: dhr mevr` */
const words = (list: string): ReadonlySet<string> =>
  new Set(
    list
      .trim()
      .split(/\s+/)
      .filter((word) => !word.endsWith(':')),
  );

/** Always followed by something: a name, an example, a day. */
const openAbbreviations = words(`
  English: mr mrs ms messrs mx dr drs prof sgt capt lt cmdr cpl pvt adm brig rev gov pres amb supt insp vs e.g i.e
  a.k.a p.s n.b cf viz approx incl excl resp jan feb apr aug nov tues thur thurs
  Danish/Norwegian: hr frk skt f.eks bl.a dvs pga mht ifm ift jf ekskl inkl maks evt m.fl.a
  Dutch: dhr mevr mw bijv d.w.z o.a m.b.t t.a.v i.p.v
  Finnish: esim ks synt puh ns
  French: mme mlle env p.ex c.-à-d
  German: hrn frl z.b d.h bzw bspw vgl ggf evtl sog exkl zzgl dipl
  Greek: κ κα κος κκ δρ καθ π.χ δηλ βλ αγ
  Hindi: डॉ प्रो पं श्रीमती
  Indonesian/Malay: bpk sdr sdri tn yth jl jln hj mis pn sdn kec kab
  Italian: sig sigg sig.ra sig.na dott dott.ssa prof.ssa avv geom p.es
  Polish: inż ul św tj tzn tzw m.in płk ppłk np napr
  Portuguese/Spanish: sr sra srta sres sras srs dra dras profa exmo exma ilmo ilma av avda lic p.ej núm
  Russian: ул просп пер акад доц тов т.е напр проф им пгт
  Swahili: bw dkt mhe k.m k.v
  Swedish: t.ex d.v.s s.k f.d fr.o.m t.o.m p.g.a
  Tagalog: gng bb
  Turkish: doç yrd sn cad mah örn bkz
  Vietnamese: gs ts pgs ths bs tp
`);

/** Words, names or units in lower case, such as `hon` (she) of Swedish and `sen` (you) of Turkish. */
const capitalizedAbbreviations = words('Bi Det Fr Gen Hon Ir M MM Maj Me Mio Ny Rep Sen Sens Sok Sta Ste Sto Ud Uds');

/** Abbreviations only before a number; otherwise words, as in "He said no." */
const numberAbbreviations = words(`
  no nos vol vols p pp pg fig figs eq eqs ch chap sec secs art tab ed ser op mar jun jul sep sept oct dec ca est nr kl
  tel tlf tfn abb abs bd str s.l.p klo nro ok godz blz pag pág núm cap séc sect hlm uk nº n° rs párr párrf lun mié jue
  vie sáb dom ext cra app appx bldg rm pt deg д кв стр рис тел корп ст гл αρ σελ τηλ εικ κεφ रु सं ص س
`);

/** May end a sentence if a typical first word follows. */
const doubtfulAbbreviations = words(`
  inc ltd co corp llc bros jr sr esq ph.d m.d b.a m.a b.sc m.sc b.s m.s ll.b ll.m m.phil d.c dept univ assn al st ft
  mt col fr reps eds trans v ex ing
  Danish/Norwegian/Swedish: mrd f.kr e.kr årh bl sthlm
  Greek/Polish/Russian/Spanish/Turkish: μ.χ ap wg tys ks al г гг пл см тыс млн млрд ee uu vd vds dpto şti bhd
  Hindi: ए बी सी डी ई एफ जी एच जे के एल एम एन ओ पी क्यू आर एस टी यू वी
  ${cldrAbbreviations}
`);

/** End a sentence before any capital letter. */
const closingAbbreviations = words(`
  etc a.m p.m b.c a.d b.c.e c.e usw usf osv m.m m.v enz jne ecc itd itp dll dsb dst atbp n.k v.v vb κ.λπ κλπ κ.ά κ.τ.λ
  т.д т.п др
`);

/** Capitalized words that start sentences far more often than they follow an abbreviation. */
export const sentenceStarters = words(`
  the a an this that these those there here it its he his she her hers they their we our you your i i'm i've i'll it's
  he's she's they're we're you're but and so or yet if when while after before since because although though however
  then thus therefore meanwhile moreover furthermore also still now today yesterday tomorrow later once in on at by for
  from with without as to what who why where how which whose is are was were do does did can could will would should
  not no yes nobody everyone everybody someone some many most all each every both one two let let's please maybe perhaps
`);

/** Words that begin sentences in other languages, and names in none that a doubtful abbreviation precedes. */
export const foreignStarters = words(`
  det den der de hvad hvor hvem hvordan hvorfor jeg vi du han hun min mit vad var hur jag hon
  die das er sie es wir ihr ich was wer wie wo warum wann ein eine und aber dann danach doch deshalb damals damit darum
  daher dabei dort dies diese dieser dieses jetzt nun nach für auch alle als auf bei bis ist im ja nein jeder kein man mein
  nur noch seit später sonst so trotzdem vor vom von während weil wenn zu zum zur zwar viele manche einige schon heute gestern
  el los las una ellos ella nosotros yo qué cómo dónde pero
  le les il elle nous vous je où quand comment mais
  het wij zij ik wat waar hoe maar
`);

/** Labels of things that a letter may name: `Fig. A`, `Vol. B`. */
const labels = words('fig figs eq eqs vol vols ch chap sec app appx bldg rm pt deg abb abs tab рис');

/** Fields and ranks that follow a doctor's or a professor's title in German. */
const academicFields = words(`
  med dent vet rer nat phil jur iur utr pol oec theol habil mult h c hc e eh ing agr techn tech mont sc paed päd publ disc soc
  psych em hum biol pharm cult math phys chem h.c e.h
`);

/** Before a number of a smaller unit: `2 lb. 4 oz.`, `3 Std. 20 Min.` */
const unitAbbreviations = words(`
  lb lbs oz hr hrs min mins sec secs yd yds ft in mi pt pts qt qts gal tbsp tsp std sek
`);

/** Words before a time of day or a year at the beginning of a sentence. */
const timeWords = words(`
  at by around about before after since until till from to on in every each near nearly exactly shortly just only circa ca
  today tomorrow yesterday tonight this that next last day daily morning evening night afternoon noon the of and or as early
  late monday tuesday wednesday thursday friday saturday sunday january february march april may june july august september
  october november december a.m p.m am pm year years
`);

/** Names that end with an exclamation mark, which ends no sentence before a small letter. */
export const exclaimedNames = words('yahoo jeopardy yum joomla e panic oliver');
