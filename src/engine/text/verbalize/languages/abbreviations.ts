/** Abbreviations of the languages besides English and Chinese, and what they stand for. CLDR has them without their meaning. */
import type { SemioticClass } from '../language.ts';
import { cursorAt, foundAt, isBehind, isNext, take } from '../place.ts';
import { endsSentence } from '../sentence-ends.ts';

/** By language: `written=spoken`, separated by bars. A space in what is written may be missing. */
interface Table {
  /** Never end a sentence. */
  readonly open?: string;
  /** Before a name. */
  readonly titles?: string;
  /** Before a number. */
  readonly numbered?: string;
  /** Behind a number, and as `closing`. */
  readonly behind?: string;
  /** May end a sentence: their period then stays. */
  readonly closing?: string;
}

const nordicNumbered = 'nr.=nummer|nr=nummer|kl.=klokken|s.=side|tlf.=telefon|kap.=kapittel|bd.=bind';
const tables: Readonly<Record<string, Table>> = {
  de: {
    open: 'z. B.=zum Beispiel|d. h.=das heißt|u. a.=unter anderem|z. T.=zum Teil|i. d. R.=in der Regel|u. U.=unter Umständen|i. A.=im Auftrag|bzw.=beziehungsweise|ca.=circa|evtl.=eventuell|ggf.=gegebenenfalls|vgl.=vergleiche|inkl.=inklusive|exkl.=exklusive|zzgl.=zuzüglich|bspw.=beispielsweise|insb.=insbesondere|sog.=sogenannte|max.=maximal|mind.=mindestens|v. a.=vor allem|s. o.=siehe oben|s. u.=siehe unten|Tel.=Telefon|geb.=geboren|gest.=gestorben|einschl.=einschließlich|abzgl.=abzüglich|Dipl.-Ing.=Diplomingenieur',
    behind: 'EL=Esslöffel|TL=Teelöffel|Pck.=Packung|Pkg.=Packung|Stk.=Stück',
    titles: 'Hr.=Herr|Hrn.=Herrn|Fr.=Frau|Dr.=Doktor|Prof.=Professor|St.=Sankt',
    numbered:
      'Nr.=Nummer|S.=Seite|Abb.=Abbildung|Kap.=Kapitel|Bd.=Band|Abs.=Absatz|Art.=Artikel|Tab.=Tabelle|min.=minimal',
    closing:
      'usw.=und so weiter|etc.=et cetera|u. Ä.=und Ähnliches|o. Ä.=oder Ähnliches|v. Chr.=vor Christus|n. Chr.=nach Christus|Jh.=Jahrhundert|MwSt.=Mehrwertsteuer|Std.=Stunden|Min.=Minuten|Sek.=Sekunden|Mio.=Millionen|Mrd.=Milliarden',
  },
  fr: {
    open: 'p. ex.=par exemple|c.-à-d.=c’est-à-dire|env.=environ|cf.=confer|tél.=téléphone|Mme=Madame|Mmes=Mesdames|Mlle=Mademoiselle|MM.=Messieurs|bd=boulevard',
    titles: 'M.=Monsieur|Dr=Docteur|Pr=Professeur|Me=Maître',
    numbered: 'n°=numéro|N°=numéro|nº=numéro|vol.=volume|p.=page|pp.=pages|chap.=chapitre|art.=article|fig.=figure',
    closing: 'etc.=et cetera|av. J.-C.=avant Jésus-Christ|apr. J.-C.=après Jésus-Christ',
  },
  es: {
    open: 'p. ej.=por ejemplo|aprox.=aproximadamente|tel.=teléfono|Avda.=avenida|Av.=avenida|C/=calle',
    titles:
      'Sr.=señor|Sra.=señora|Srta.=señorita|Sres.=señores|Dña.=doña|Dr.=doctor|Dra.=doctora|Prof.=profesor|Sto.=santo|Sta.=santa',
    numbered:
      'núm.=número|n.º=número|nº=número|n°=número|pág.=página|págs.=páginas|vol.=volumen|cap.=capítulo|s.=siglo|art.=artículo|fig.=figura',
    closing:
      'etc.=etcétera|Ud.=usted|Uds.=ustedes|Vd.=usted|a. C.=antes de Cristo|d. C.=después de Cristo|S. A.=sociedad anónima|EE. UU.=Estados Unidos',
  },
  it: {
    open: 'p. es.=per esempio|ad es.=ad esempio|ca.=circa|cfr.=confronta|tel.=telefono|V.le=viale|P.za=piazza|P.zza=piazza',
    titles:
      'Sig.=signor|Sig.ra=signora|Sig.na=signorina|Sigg.=signori|Dott.=dottor|Dott.ssa=dottoressa|Dr.=dottor|Prof.=professor|Prof.ssa=professoressa|Avv.=avvocato|Ing.=ingegner|Geom.=geometra|On.=onorevole',
    numbered:
      'n.=numero|nr.=numero|n°=numero|pag.=pagina|pagg.=pagine|p.=pagina|vol.=volume|cap.=capitolo|sec.=secolo|art.=articolo|fig.=figura',
    closing: 'ecc.=eccetera|etc.=eccetera|a. C.=avanti Cristo|d. C.=dopo Cristo',
  },
  pt: {
    open: 'p. ex.=por exemplo|aprox.=aproximadamente|tel.=telefone|V. Exa.=Vossa Excelência|Av.=avenida',
    titles:
      'Sr.=senhor|Sra.=senhora|Srta.=senhorita|Dr.=doutor|Dra.=doutora|Prof.=professor|Profa.=professora|Eng.=engenheiro|Sto.=santo|Sta.=santa',
    numbered:
      'n.º=número|nº=número|n°=número|núm.=número|pág.=página|págs.=páginas|p.=página|vol.=volume|cap.=capítulo|séc.=século|art.=artigo|fig.=figura',
    closing: 'etc.=et cetera|a. C.=antes de Cristo|d. C.=depois de Cristo',
  },
  nl: {
    open: 'bijv.=bijvoorbeeld|d.w.z.=dat wil zeggen|o.a.=onder andere|t.e.m.=tot en met|t/m=tot en met|ca.=circa|i.p.v.=in plaats van|m.b.t.=met betrekking tot|t.a.v.=ter attentie van|incl.=inclusief|excl.=exclusief|tel.=telefoon|evt.=eventueel|z.s.m.=zo snel mogelijk|m.a.w.=met andere woorden|a.u.b.=alstublieft|dhr.=de heer|mevr.=mevrouw|mw.=mevrouw',
    titles: 'dr.=dokter|prof.=professor|ir.=ingenieur|St.=Sint',
    numbered: 'nr.=nummer|blz.=bladzijde|p.=pagina|hfst.=hoofdstuk|art.=artikel|afb.=afbeelding',
    closing: 'enz.=enzovoort|etc.=et cetera|e.d.=en dergelijke|v.Chr.=voor Christus|n.Chr.=na Christus',
  },
  sv: {
    open: 't.ex.=till exempel|t ex=till exempel|bl.a.=bland annat|d.v.s.=det vill säga|dvs.=det vill säga|s.k.=så kallad|ca=cirka|ca.=cirka|fr.o.m.=från och med|t.o.m.=till och med|p.g.a.=på grund av|pga=på grund av|m.a.o.=med andra ord|inkl.=inklusive|exkl.=exklusive|tel.=telefon|f.d.=före detta|resp.=respektive',
    titles: 'dr.=doktor|prof.=professor',
    numbered: 'nr.=nummer|nr=nummer|kl.=klockan|sid.=sida|s.=sida|kap.=kapitel',
    closing:
      'osv.=och så vidare|o.s.v.=och så vidare|m.m.=med mera|m.fl.=med flera|etc.=et cetera|f.Kr.=före Kristus|e.Kr.=efter Kristus',
  },
  da: {
    open: 'f.eks.=for eksempel|bl.a.=blandt andet|dvs.=det vil sige|ca.=cirka|mht.=med hensyn til|pga.=på grund af|inkl.=inklusive|ekskl.=eksklusive|fx=for eksempel|evt.=eventuelt|ift.=i forhold til|jf.=jævnfør|maks.=maksimalt|tlf.=telefon',
    titles: 'hr.=herr|fr.=fru|dr.=doktor|prof.=professor|Skt.=Sankt',
    numbered: nordicNumbered.replace('kapittel', 'kapitel'),
    closing:
      'osv.=og så videre|m.m.=med mere|m.fl.=med flere|mv.=med videre|etc.=et cetera|f.Kr.=før Kristus|e.Kr.=efter Kristus',
  },
  nb: {
    open: 'f.eks.=for eksempel|bl.a.=blant annet|dvs.=det vil si|ca.=cirka|mht.=med hensyn til|pga.=på grunn av|inkl.=inklusive|ekskl.=eksklusive|evt.=eventuelt|ift.=i forhold til|jf.=jamfør|maks.=maksimalt|tlf.=telefon|mva.=merverdiavgift',
    titles: 'dr.=doktor|prof.=professor',
    numbered: nordicNumbered,
    closing:
      'osv.=og så videre|m.m.=med mer|m.fl.=med flere|mv.=med videre|etc.=et cetera|f.Kr.=før Kristus|e.Kr.=etter Kristus',
  },
  fi: {
    open: 'esim.=esimerkiksi|ts.=toisin sanoen|ks.=katso|mm.=muun muassa|puh.=puhelin|ko.=kyseinen|ns.=niin sanottu|vrt.=vertaa|sis.=sisältäen|kpl=kappaletta',
    titles: 'prof.=professori|toht.=tohtori',
    numbered: 'n.=noin|nro=numero|nro.=numero|s.=sivu|klo=kello|k:lo=kello',
    closing:
      'jne.=ja niin edelleen|ym.=ynnä muuta|yms.=ynnä muuta sellaista|eKr.=ennen Kristusta|jKr.=jälkeen Kristuksen',
  },
  pl: {
    open: 'np.=na przykład|tzn.=to znaczy|tj.=to jest|m.in.=między innymi|tzw.=tak zwany|ul.=ulica|al.=aleja|pl.=plac|wg=według|tel.=telefon|ds.=do spraw|św.=święty|jw.=jak wyżej',
    titles: 'dr=doktor|dr.=doktora|prof.=profesor|inż.=inżynier|mgr=magister|ks.=ksiądz|gen.=generał|red.=redaktor',
    numbered:
      'ok.=około|nr=numer|nr.=numer|godz.=godzina|str.=strona|s.=strona|rozdz.=rozdział|art.=artykuł|rys.=rysunek|t.=tom|pkt=punkt',
    behind: 'r.=roku|w.=wieku',
    closing:
      'itd.=i tak dalej|itp.=i tym podobne|p.n.e.=przed naszą erą|n.e.=naszej ery|tys.=tysięcy|mln.=milionów|mld.=miliardów',
  },
  ru: {
    open: 'т. е.=то есть|т. к.=так как|т. н.=так называемый|т. ч.=том числе|напр.=например|см.=смотри|ул.=улица|пр.=проспект|просп.=проспект|пер.=переулок|пл.=площадь|тел.=телефон',
    behind: 'в.=век|вв.=века',
    titles:
      'г.=город|д.=деревня|с.=село|проф.=профессор|акад.=академик|св.=святой|гр.=гражданин|о.=остров|оз.=озеро|р.=река',
    numbered:
      'д.=дом|кв.=квартира|стр.=страница|с.=страница|рис.=рисунок|гл.=глава|табл.=таблица|№=номер|корп.=корпус|ст.=статья|п.=пункт|т.=том|ок.=около',
    closing:
      'и т. д.=и так далее|и т. п.=и тому подобное|и др.=и другие|и пр.=и прочее|до н. э.=до нашей эры|н. э.=нашей эры|шт.=штук|чел.=человек|тыс.=тысяч|млн.=миллионов|млрд.=миллиардов',
  },
  el: {
    open: 'π.χ.=παραδείγματος χάρη|δηλ.=δηλαδή|βλ.=βλέπε|τηλ.=τηλέφωνο',
    titles: 'κ.=κύριος|κα=κυρία|κος=κύριος|δρ.=δόκτωρ|καθ.=καθηγητής|Αγ.=Άγιος',
    numbered: 'αρ.=αριθμός|σελ.=σελίδα|εικ.=εικόνα|κεφ.=κεφάλαιο',
    closing: 'κ.λπ.=και λοιπά|κλπ.=και λοιπά|κ.ά.=και άλλα|π.Χ.=προ Χριστού|μ.Χ.=μετά Χριστόν',
  },
  tr: {
    open: 'örn.=örneğin|bkz.=bakınız|tel.=telefon|yakl.=yaklaşık',
    titles: 'Dr.=doktor|Prof.=profesör|Doç.=doçent|Sn.=sayın|Av.=avukat',
    numbered:
      'No:=numara|no.=numara|No.=numara|s.=sayfa|MÖ=milattan önce|MS=milattan sonra|M.Ö.=milattan önce|M.S.=milattan sonra',
    closing: 'vb.=ve benzeri|vs.=vesaire|yy.=yüzyıl|Cad.=caddesi|Sok.=sokak|Mah.=mahallesi',
  },
  id: {
    open: 'Jl.=Jalan|Jln.=Jalan|tgl.=tanggal|s.d.=sampai dengan|a.n.=atas nama|telp.=telepon|Telp.=telepon|yg=yang|utk=untuk|dgn=dengan',
    titles: 'Bpk.=Bapak|Sdr.=Saudara|Sdri.=Saudari|Dr.=Doktor|Prof.=Profesor|Ny.=Nyonya|Tn.=Tuan',
    numbered: 'No.=nomor|no.=nomor|hlm.=halaman|hal.=halaman',
    closing: 'dll.=dan lain-lain|dsb.=dan sebagainya|dst.=dan seterusnya',
  },
  ms: {
    open: 'Jln.=Jalan|Jl.=Jalan|tel.=telefon',
    titles: 'En.=Encik|Pn.=Puan|Dr.=Doktor|Prof.=Profesor|Tn.=Tuan',
    numbered: 'No.=nombor|no.=nombor|hlm.=halaman|ms.=muka surat',
    closing: 'dll.=dan lain-lain|dsb.=dan sebagainya|dst.=dan seterusnya',
  },
  vi: {
    titles: 'TP.=thành phố|Tp.=thành phố|TS.=tiến sĩ|PGS.=phó giáo sư|GS.=giáo sư|ThS.=thạc sĩ|BS.=bác sĩ',
    numbered: 'Q.=quận|P.=phường|tr.=trang|Số.=số',
    closing: 'v.v.=vân vân|v.v…=vân vân',
  },
};

/** Whose case what stands before them tells. */
const inflected: Readonly<Record<string, readonly (readonly [before: RegExp, spoken: string])[]>> = {
  'godz.': [
    [/(?<!\p{L})o\s$/iu, 'godzinie'],
    [/(?<!\p{L})(?:od|do|około|ok\.)\s$/iu, 'godziny'],
  ],
  'стр.': [
    [/(?<!\p{L})на\s$/iu, 'странице'],
    [/(?<!\p{L})(?:со|с|до)\s$/iu, 'страницы'],
    [/(?<!\p{L})см\.\s$/iu, 'страницу'],
  ],
  'рис.': [[/(?<!\p{L})на\s$/iu, 'рисунке']],
  'ул.': [
    [/(?<!\p{L})на\s$/iu, 'улице'],
    [/(?<!\p{L})(?:по)\s$/iu, 'улице'],
  ],
  'в.': [
    [/(?<!\p{L})в\s[IVXLC]+\s$/iu, 'веке'],
    [/(?<!\p{L})[сдоа]{1,2}\s[IVXLC]+\s$/iu, 'века'],
  ],
  'str.': [[/(?<!\p{L})na\s$/iu, 'stronie']],
};
const joined = /[.@/\w-]$/;
const name = /[ \u00a0]\p{Lu}/uy;
const number = /[ \u00a0]?(?=\d|[IVXLC]{1,6}(?!\p{L}))/uy;
const digitBefore = /\d\s?$/;
const numberBefore = /(?:\d|(?<!\p{L})[IVXLC]{1,6})\s?$/u;
const capitalized = (written: string): string => written.replace(/^\p{Ll}/u, (letter) => letter.toUpperCase());

/** Abbreviations that are spoken, as written or with a capital letter at the beginning of a sentence. */
export function abbreviationsOf(tag: string): SemioticClass | undefined {
  const table = tables[tag];
  if (table === undefined) return undefined;
  const written = new Set<string>();
  const forms = new Map<string, { readonly spoken: string; readonly kinds: Set<keyof Table> }[]>();
  for (const kind of ['open', 'titles', 'numbered', 'behind', 'closing'] as const) {
    for (const entry of table[kind]?.split('|') ?? []) {
      const [abbreviation = '', spoken = ''] = entry.split('=');
      for (const [form, said] of [
        [abbreviation, spoken],
        [capitalized(abbreviation), capitalized(spoken)],
      ] as const) {
        written.add(form);
        const key = form.replaceAll(' ', '');
        const known = forms.get(key) ?? [];
        const same = known.find((one) => one.spoken.toLowerCase() === said.toLowerCase());
        if (same === undefined) known.push({ spoken: said, kinds: new Set([kind]) });
        else same.kinds.add(kind);
        forms.set(key, known);
      }
    }
  }
  const source = [...written].sort((one, other) => other.length - one.length).map(spaced);
  const pattern = new RegExp(source.join('|'), 'uy');
  return {
    name: 'abbreviation',
    begins: ['letter', 'sign'],
    find(place) {
      const { text } = place;
      if (!place.isBorder || isBehind(place, joined)) return undefined;
      const cursor = cursorAt(place);
      const [found] = take(cursor, pattern) ?? [];
      if (found === undefined) return undefined;
      const [, cased] = inflected[found]?.find(([before]) => isBehind(place, before)) ?? [];
      if (cased !== undefined) return foundAt(cursor, { kind: 'words', spoken: cased });
      const isBeforeNumber = isNext(text, cursor.at, number);
      const isBeforeName = isNext(text, cursor.at, name);
      const candidates = forms.get(found.replace(/\s/gu, '')) ?? [];
      const kindOf = (kind: keyof Table) => candidates.find(({ kinds }) => kinds.has(kind))?.spoken;
      const numbered = isBeforeNumber ? kindOf('numbered') : undefined;
      if (numbered !== undefined) {
        const space = isNext(text, cursor.at, /\d/y) ? ' ' : '';
        return foundAt(cursor, { kind: 'words', spoken: numbered + space });
      }
      const spoken = (isBeforeName && !isBehind(place, digitBefore) ? kindOf('titles') : undefined) ?? kindOf('open');
      if (spoken !== undefined) return foundAt(cursor, { kind: 'words', spoken });
      const closing = (isBehind(place, numberBefore) ? kindOf('behind') : undefined) ?? kindOf('closing');
      if (closing === undefined) return undefined;
      const stop = found.endsWith('.') && endsSentence(text, cursor.at, 'any capital') ? '.' : '';
      return foundAt(cursor, { kind: 'words', spoken: closing + stop });
    },
  };
}

const streets = /(\p{Lu}[\p{L}-]{1,30})str\.(?=[ \u00a0]\d|[,;)]|\s*$)/uy;

/** `Hauptstr. 12` of German. */
export const germanStreets: SemioticClass = {
  name: 'street',
  begins: ['letter'],
  find(place) {
    const cursor = cursorAt(place);
    const [, street] = take(cursor, streets) ?? [];
    return street === undefined || !place.isBorder
      ? undefined
      : foundAt(cursor, { kind: 'words', spoken: `${street}straße` });
  },
};

const escaped = (form: string): string => form.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
/** Parts may have a space between them, or none. */
const spaced = (form: string): string =>
  escaped(form).replace(/ |(?<=\\\.)(?=\p{L})/gu, String.raw`[ \u00a0\u202f]?`) +
  (/\p{L}$/u.test(form) ? String.raw`(?![\p{L}\p{M}\p{N}])` : String.raw`(?!\p{L})`);
