/**
 * Abbreviations whose period does not always end a sentence; without the last period, in lower case unless capitals distinguish
 * them from a word. The language of a text is not known, so those of all 30 languages of VoxCPM 2 are one set; what is a
 * word in another of these languages is left out, as a false abbreviation hides the end of a sentence.
 */
import { cldrAbbreviations } from './generated/cldr-abbreviations.ts';

/** @param list of words, also behind the names of their languages: `Dutch: dhr mevr` */
const words = (list: string): ReadonlySet<string> =>
  new Set(
    list
      .trim()
      .split(/\s+/)
      .filter((word) => !word.endsWith(':')),
  );

/** Always followed by something: a name, an example, a day. */
export const openAbbreviations = words(`
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
export const capitalizedAbbreviations = words(
  'Bi Det Fr Gen Hon Ir M MM Maj Me Mio Ny Rep Sen Sens Sok Sta Ste Sto Ud Uds',
);

/** Abbreviations only before a number; otherwise words, as in "He said no." */
export const numberAbbreviations = words(`
  no nos vol vols p pp pg fig figs eq eqs ch chap sec secs art tab ed ser op mar jun jul sep sept oct dec ca est nr kl
  tel tlf tfn abb abs bd str s.l.p klo nro ok godz blz pag pág núm cap séc sect hlm uk nº n° rs párr párrf lun mié jue
  vie sáb dom ext cra app appx bldg rm pt deg д кв стр рис тел корп ст гл αρ σελ τηλ εικ κεφ रु सं ص س
`);

/** May end a sentence if a typical first word follows. */
export const doubtfulAbbreviations = words(`
  inc ltd co corp llc bros jr sr esq ph.d m.d b.a m.a b.sc m.sc b.s m.s ll.b ll.m m.phil d.c dept univ assn al st ft
  mt col fr reps eds trans v ex ing
  Danish/Norwegian/Swedish: mrd f.kr e.kr årh bl sthlm
  Greek/Polish/Russian/Spanish/Turkish: μ.χ ap wg tys ks al г гг пл см тыс млн млрд ee uu vd vds dpto şti bhd
  Hindi: ए बी सी डी ई एफ जी एच जे के एल एम एन ओ पी क्यू आर एस टी यू वी
  ${cldrAbbreviations}
`);

/** End a sentence before any capital letter. */
export const closingAbbreviations = words(`
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
export const labels = words('fig figs eq eqs vol vols ch chap sec app appx bldg rm pt deg abb abs tab рис');

/** Fields and ranks that follow a doctor's or a professor's title in German. */
export const academicFields = words(`
  med dent vet rer nat phil jur iur utr pol oec theol habil mult h c hc e eh ing agr techn tech mont sc paed päd publ disc soc
  psych em hum biol pharm cult math phys chem h.c e.h
`);

/** Before a number of a smaller unit: `2 lb. 4 oz.`, `3 Std. 20 Min.` */
export const unitAbbreviations = words(`
  lb lbs oz hr hrs min mins sec secs yd yds ft in mi pt pts qt qts gal tbsp tsp std sek
`);

/** Words before a time of day or a year at the beginning of a sentence. */
export const timeWords = words(`
  at by around about before after since until till from to on in every each near nearly exactly shortly just only circa ca
  today tomorrow yesterday tonight this that next last day daily morning evening night afternoon noon the of and or as early
  late monday tuesday wednesday thursday friday saturday sunday january february march april may june july august september
  october november december a.m p.m am pm year years
`);

/** Names that end with an exclamation mark, which ends no sentence before a small letter. */
export const exclaimedNames = words('yahoo jeopardy yum joomla e panic oliver');
