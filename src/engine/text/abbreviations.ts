/** Abbreviations whose period does not always end a sentence; in lower case, without the last period. */

const words = (list: string): ReadonlySet<string> => new Set(list.trim().split(/\s+/));

/** Always followed by something: a name, an example, a day. */
export const openAbbreviations = words(`
  mr mrs ms messrs mx dr drs prof ste gen sgt capt lt cmdr maj cpl pvt adm brig rev hon gov pres sen sens amb supt insp
  mme mlle vs e.g i.e cf viz approx incl excl resp jan feb apr aug sept nov tues thur thurs z.b d.h bzw bspw
`);

/** Abbreviations only before a number; otherwise words, as in "He said no." */
export const numberAbbreviations = words(`
  no nos vol vols p pp pg fig figs eq eqs ch chap sec secs art tab ed ser op mar jun jul sep oct dec ca
`);

/** May end a sentence if a typical first word follows. */
export const doubtfulAbbreviations = words(`
  inc ltd co corp llc bros jr sr esq ph.d m.d b.a m.a d.c dept univ assn est al st ft mt col fr rep reps det eds trans v
`);

/** End a sentence before any capital letter. */
export const closingAbbreviations = words('etc a.m p.m b.c a.d b.c.e c.e');

/** Capitalized words that start sentences far more often than they follow an abbreviation. */
export const sentenceStarters = words(`
  the a an this that these those there here it its he his she her hers they their we our you your i i'm i've i'll it's
  he's she's they're we're you're but and so or yet if when while after before since because although though however
  then thus therefore meanwhile moreover furthermore also still now today yesterday tomorrow later once in on at by for
  from with without as to what who why where how which whose is are was were do does did can could will would should
  not no yes nobody everyone everybody someone some many most all each every both one two let let's please maybe perhaps
`);
