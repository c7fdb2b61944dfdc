/**
 * Tells the language of a paragraph: by its script where only one of VoxCPM 2's languages has it, else by small words and
 * letters. Detectors from npm need longer texts, and take Norwegian for Danish and Indonesian for Malay
 * (docs/adr/0065-text-is-classified-then-spoken.md).
 */

/** Scripts of one language each. */
const scripts: readonly (readonly [language: string, letters: RegExp])[] = [
  ['ja', /[\p{Script=Hiragana}\p{Script=Katakana}]/gu],
  ['ko', /\p{Script=Hangul}/gu],
  ['zh', /\p{Script=Han}|[，。：；！？、（）￥]/gu],
  ['ar', /\p{Script=Arabic}/gu],
  ['he', /\p{Script=Hebrew}/gu],
  ['hi', /\p{Script=Devanagari}/gu],
  ['th', /\p{Script=Thai}/gu],
  ['lo', /\p{Script=Lao}/gu],
  ['km', /\p{Script=Khmer}/gu],
  ['my', /\p{Script=Myanmar}/gu],
  ['el', /\p{Script=Greek}/gu],
  ['ru', /\p{Script=Cyrillic}/gu],
];
/** Characters that Chinese writes otherwise, in texts without kana. */
const japanese = /[〒々円駅県広気対図売読変込働応営単労戦険検験関権経済発価払転総続]/u;
const latin = /\p{Script=Latin}/gu;
/** Other letters: those of a language that isn't known here. */
const otherLetters =
  /(?![\p{Script=Latin}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Devanagari}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Common}\p{Script=Inherited}])\p{L}/gu;
/** Letters of other languages in these scripts: Ukrainian, Belarusian, Serbian; Persian, Urdu. */
const foreignLetters = /[іїєґўјљњћђџѓќ]|[پچژگڤٹڈڑے]/iu;

const lists: Readonly<Record<string, string>> = {
  da: 'og det er en et den til på de med for ikke der han hun som jeg du vi har var fra af kan vil skal men om eller efter også hvad her nu dag måned mødet begynder kl måneden katte hunde minutter prisen sig sin deres blev være bliver år uge koster prisen hvor når meget mange dette denne ud op ind hos siden både fik sal etage gang stiger betaler bor kom plads pladsen division verdenskrig sluttede døde klasse kong kører ankommer lejlighed lejligheden koger bage tilsæt dage timer ugen igen alle hele første',
  nb: 'og det er en et den til på de med for ikke der han hun som jeg du vi har var fra av kan vil skal men om eller etter også hva her nå dag måned måneden møtet begynner kl katter hunder minutter prisen seg sin deres ble være blir år uke koster prisen hvor når mye mange dette denne ut opp inn hos siden både fikk ei noe bare hver desember gå går etasje betaler bor plass verdenskrig sluttet klasse begynte spor ankommer leilighet leiligheten dager timer uken igjen alle hele første gikk døde tilsett stek',
  sv: 'och det är en ett den till på de med för inte där han hon som jag du vi har var från av kan vill ska men om eller efter också vad här nu dag månad månaden mötet börjar kl tåget minuter katter hundar vi ses sig sin deras blev vara blir år vecka kostar priset hur när mycket många detta denna ut upp in hos sedan både fick något bara varje gick går att tåg spår kommer fram lägenhet lägenheten våning bor betalar plats världskriget slutade klass dagar timmar veckan igen alla hela första tillsätt grädda dog gången',
  nl: 'de het een en van is in op te dat die niet met voor zijn aan er ook als bij naar om maar wel uit dan nog door over tot of wat worden wordt heeft had hebben hij zij ze wij je ik u mijn deze dit geen kost per maand uur begint om jaar dag hoe waar meer veel alle was worden haar hun ons trein spoor komt appartement woont won voeg toe bak neem daags tablet tabletten vergadering verdieping zout eieren eeuw woonden sloot verloor prijs steeg punten kamer dagen uren weken eerste jullie bent hebt graag dank bedankt goed nieuwe dhr mevr straat minuut',
  de: 'der die das und ist in zu den mit von für auf nicht sich des ein eine einen einem einer auch es an als wie bei wird sind aus nach am im um uhr hat haben war er sie wir ich du ihr noch nur so über vor zum zur oder aber dass man kann werden wurde durch pro bis beträgt kostet jahr jahre monat euro etwa rund unter mehr sehr kein keine kapitel seite minuten stunden dem gilt seit abs kommt gewann tor nehmen tablette täglich wohnung zimmer kalt warm bitte mehl zucker backen schloss punkten lebten regierte gesetz besprechung angebot vom heute morgen gestern woche tage danke gut neue ersten wieder schon immer hier dort wo wann warum',
  en: 'the of and to in is that it was for on are as with his they at be this have from or had by but some what there we can out other were all your when up use word how said an each she which do their time if will way about many then them would like so these her long make see him two has look more day could go come did my no most who over know than call first people may down been now find any new take get made where after back only me our under a i you he at starts costs leaves am pm page chapter number no people bring buy add mix bake wait send please thanks open press run walked went got won lost',
  fr: 'le la les de des du un une et est en que qui dans pour pas sur avec au aux ce il elle nous vous je tu ils elles se ne plus par sont mais ou où son sa ses leur cette ces été être avoir a ont fait comme tout tous très bien aussi y on mon ma mes votre notre deux fois ans euros mois jour heures rendez coûte prix part commence chapitre page perdu gagné train voie arrive appartement pièces ajoutez farine sel œufs cuire régna habite siècle mesure pèse passé soit marqué minute semaine bonjour merci oui non aujourd demain hier prenez comprimé pendant tél rue étage mars avril juin août points quand pourquoi comment ici là',
  es: 'el la los las de del un una y es en que por para con no se lo su al más como pero sus le ya o este sí porque esta entre cuando muy sin sobre también me hasta hay donde quien desde todo nos durante todos uno les ni contra otros ese eso ante ellos e esto mí antes algunos qué unos yo otro otras otra él tanto esa estos mucho nada muchos cual poco ella estar estas tengo cuesta mes precio años día son fue ser tiene empieza sale nos vemos capítulo página añade mezcla hornea harina azúcar huevos taza tazas sal necesito quiero tren andén llega piso planta ganó gol minuto tome comprimido cada horas minutos semana puntos cayó vive hoy mañana ayer gracias hola buenos cómo cuándo nueva nuevo leche tomates agua oprima pulse marque',
  it: 'il lo la i gli le di del della dei delle un una e è in che per con non si da al alla come ma anche ho ha sono più su nel nella o se questo questa mi ci ti vi tra fra quando dove chi cosa molto tutto tutti essere avere fatto suo sua loro noi voi lui lei io tu dal dalla sul ai anni euro mese ore inizia parte costa prezzo totale vediamo capitolo pagina aggiungi farina latte uova cuoci zucchero sale treno binario arriva appartamento abita via piano perso punti vinto gol minuto prenda compressa ogni giorno giorni settimana secolo vivevano salito oggi domani ieri grazie ciao buongiorno nuovo nuova circa minuti',
  pt: 'o a os as de do da dos das um uma e é em que por para com não se no na nos nas ao à às mais como mas foi ele ela seu sua ou ser quando muito há já está eu também só pelo pela até isso entre era depois sem mesmo aos ter seus quem me esse eles estão você tinha foram essa num nem suas meu minha têm numa pelos tenho custa mês preço começa parte anos dia reunião são capítulo página adicione farinha açúcar ovos asse minutos trem plataforma chega apartamento andar caiu pontos dólar fechou viviam cerca pessoas mora venceu gol tempo tome comprimido dias ligue hoje amanhã ontem obrigado obrigada olá bom novo nova horas semana reais rua',
  pl: 'i w na z do się nie to jest że o jak po co za od ale tak dla przez ma by go był już tylko jego jej ich ten ta te być są przy bez czy mam może oraz lub tym tego które który która także gdy kiedy gdzie bardzo będzie było była ze we ja ty on ona my wy cena wynosi zaczyna rok roku miesięcznie kosztuje zobaczenia godz pociąg peronu przyjeżdża mieszkanie spotkanie dodaj mąki cukru jajka piecz spadł mieszkało osób zmarł wygrała wygrał gol padł minucie brać tabletkę razy dziennie wzrosła ul dziś jutro wczoraj dziękuję proszę nowy nowa godzin minut dni tygodniu stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia pok',
  fi: 'ja on ei se että en oli hän olen mutta ovat niin kuin tai myös jos joka mikä mitä minä sinä me te he minulla sinulla hänellä ole olla kun nyt vain sitten tämä tuo jo kaikki hyvin vielä hinta klo maksaa nähdään kuluttua kuukaudessa alkaa lähtee vuotta vuonna noin yli kanssa jälkeen ennen mukaan sekä juna raiteelta kello asunto kerros päivä päivää tuntia viikossa tänään huomenna eilen kiitos hei uusi pistettä voitti lisää jauhoja sokeria munaa paista minuuttia',
  id: 'yang dan di ini itu dengan untuk dari dalam tidak akan pada adalah ke saya kami kita mereka dia ada oleh juga atau bisa sudah karena bahwa seperti lebih telah harus hanya punya anda para sebuah pukul jam bulan tahun hari harganya biayanya dapat rapat dimulai sampai jumpa desember mobil uang kantor kereta berangkat belum sangat orang saat secara ulang abad jalur naik turun tambahkan gula telur tepung menit besok kemarin terima kasih perang dunia masa indah pertama kedua ketiga',
  ms: 'yang dan di ini itu dengan untuk dari dalam tidak akan pada adalah ialah ke saya kami kita mereka dia ada oleh juga atau boleh sudah kerana bahawa seperti lebih telah harus hanya anda para sebuah pukul bulan tahun hari harganya kosnya ekor sebanyak mesyuarat bermula petang pagi malam lagi disember kereta bertolak wang pejabat sangat orang sebulan kepada ringgit',
  sw: 'na ya wa ni kwa katika la za kuwa hii hiyo huo huu si au lakini pia kama baada kabla yake wake sana watu mtu mimi wewe yeye sisi wao nina una ana tuna bei mwezi mwaka siku saa dakika tarehe leo kesho kila hadi zaidi cha vya ina mbwa paka inaondoka unaanza inagharimu tutaonana mkutano shilingi alikuwa ilikuwa',
  tl: 'ang ng sa mga na ay at ito si ni kay para hindi ko mo niya natin namin nila siya ako ikaw tayo kami sila may mayroon akong bawat loob buwan taon araw oras din rin lang pa po kung nang isang ng iyon dito doon presyo aalis magsisimula magkita nagkakahalaga pulong tren minuto kita',
  tr: 've bir bu da de için ile çok daha ne var yok ben sen biz siz onlar mı mi mu mü ama gibi kadar sonra önce olarak olan olduğu değil her şey en o şu ya veya ki saat gün ay yıl ayda fiyatı tutuyor kalkıyor başlıyor toplantı köpeğim kedim görüşürüz dakika diye göre oldu arttı fiyat lira yeni büyük tren perondan varıyor daire kirası kat odada ekleyin pişirin puandan kapandı yüzyılda burada yaklaşık kişi yaşıyordu öldü kazandı gol dakikada geldi günde kez tablet alın cad bugün yarın dün teşekkürler merhaba numaralı mah sok',
  vi: 'là và của có không được cho một những các với trong này đó đã sẽ đang tôi bạn anh chị em nó họ chúng ta ở từ đến khi thì mà cũng như về người ngày tháng năm giờ phút giá đồng lúc sau mỗi con hẹn gặp bắt đầu rất hay nhiều tàu khởi hành ga tăng giảm',
};
/** Words by the languages that have them. */
const languagesOfWord = new Map<string, readonly string[]>();
for (const [language, words] of Object.entries(lists)) {
  for (const word of new Set(words.split(' ')))
    languagesOfWord.set(word, [...(languagesOfWord.get(word) ?? []), language]);
}

/** Letters that few languages have, with the weight of a word. */
const letters: readonly (readonly [letters: RegExp, languages: readonly string[], weight: number])[] = [
  [/ß/gu, ['de'], 2],
  [/(?<!\p{L})(?:j|qu|jusqu)['’](?=\p{L})/giu, ['fr'], 2],
  [/(?<!\p{L})(?:l|d|c|n|s|m|t)['’](?=\p{L})/giu, ['fr', 'it'], 0.5],
  [/[äöü]/giu, ['de', 'sv', 'fi', 'tr'], 0.3],
  [/ä/giu, ['de', 'sv', 'fi'], 0.5],
  // Thousands are grouped by spaces in Norwegian, by points in Danish.
  [/\d[ \u00a0]\d{3}(?!\d)/gu, ['nb', 'sv', 'fi', 'pl', 'fr'], 0.3],
  [/\d\.\d{3}(?!\d)/gu, ['da', 'de', 'nl', 'es', 'it', 'pt', 'id', 'tr', 'vi'], 0.3],
  [/å/giu, ['da', 'nb', 'sv'], 0.8],
  [/[æø]/giu, ['da', 'nb'], 0.8],
  [/[ñ¿¡]/giu, ['es'], 1.5],
  [/[ãõ]/giu, ['pt', 'vi'], 0.8],
  [/[çêèâîûœëï]/giu, ['fr', 'pt'], 0.3],
  [/[œèù]/giu, ['fr', 'it'], 0.4],
  [/[òì]/giu, ['it', 'vi'], 0.4],
  [/[áíóú]/giu, ['es', 'pt', 'vi'], 0.3],
  [/[łąęśźżćń]/giu, ['pl'], 1.5],
  [/[ğış]|İ/gu, ['tr'], 1.2],
  [/[đơưăạảấầẩẫậắằẳẵặẹẻẽếềểễệỉịọỏốồổỗộớờởỡợụủứừửữựỳỵỷỹ]/giu, ['vi'], 1.5],
  // Languages that aren't spoken here: Czech, Hungarian, Romanian, Croatian, Baltic ones, Icelandic.
  [/[řěů]/giu, ['cs'], 2],
  [/[őű]/giu, ['hu'], 2],
  [/[țșţ]/giu, ['ro'], 1.5],
  [/[čž]/giu, ['cs', 'hr', 'sl', 'lt', 'lv'], 0.8],
  [/[ēīņķļģ]/giu, ['lv'], 1],
  [/[ėįųū]/giu, ['lt'], 1],
  [/[þð]/giu, ['is'], 2],
];

/** Money as one language alone, or mostly one, writes it: with a number beside. */
const money: readonly (readonly [pattern: RegExp, language: string])[] = [
  [/(?<!\p{L})Rp\.? ?\d/u, 'id'],
  [/(?<!\p{L})RM ?\d/u, 'ms'],
  [/R\$ ?\d/u, 'pt'],
  [/\d ?zł(?!\p{L})/u, 'pl'],
  [/\d ?₽|\d ?руб/u, 'ru'],
  [/\d ?(?:₫|đ(?!\p{L})|VND(?!\p{L}))|₫ ?\d/u, 'vi'],
  [/\d ?TL(?!\p{L})|₺ ?\d|\d ?₺/u, 'tr'],
  [/\d ?Kč(?!\p{L})/u, 'cs'],
  [/\d ?Ft(?!\p{L})/u, 'hu'],
];
/** Streets as one language alone abbreviates them. */
const streets: readonly (readonly [pattern: RegExp, language: string])[] = [
  [/\p{L}{3}str\. \d/u, 'de'],
  [/(?<!\p{L})(?:Cad|Sok|Mah)\. /u, 'tr'],
  [/(?<!\p{L})(?:ul|al|pl)\. \p{Lu}/u, 'pl'],
];
/** The language of a few words beside an amount of money, whose sign tells more than they do. */
function languageOfMoney(text: string, byWords: string | undefined): string | undefined {
  const words = text.match(word)?.length ?? 0;
  const most = byWords === undefined ? 8 : 4;
  const found = words <= most ? money.find(([pattern]) => pattern.test(text))?.[1] : undefined;
  return (
    found ?? byWords ?? (words <= most && !/\p{Sc}/u.test(text) && /\d ?kr(?!\p{L})/u.test(text) ? 'sv' : undefined)
  );
}

const word = /[\p{L}\p{M}]+/gu;
/** Enough to detect the language of a long paragraph. */
const sampleLength = 4000;

function latinLanguage(text: string): string | undefined {
  const scores = new Map<string, number>();
  const add = (language: string, score: number): void => {
    scores.set(language, (scores.get(language) ?? 0) + score);
  };
  // Addresses have letters, but no words.
  const words = text
    .split(/\s+/u)
    .filter((token) => !/[@/–]|\.\p{L}|\d\p{L}(?:[-–]|$)|^\p{Lu}\p{Ll}{1,2}-\p{Lu}/u.test(token));
  const hasLower = /\p{Ll}{2}/u.test(text);
  let count = 0;
  /** What tells of each language: words and letters. */
  const evidence = new Map<string, Set<string>>();
  const note = (language: string, what: string): void => {
    evidence.set(language, (evidence.get(language) ?? new Set()).add(what));
  };
  for (const token of words) {
    for (const [written] of token.matchAll(word)) {
      count += 1;
      const languages = languagesOfWord.get(written.toLowerCase()) ?? [];
      for (const language of languages) {
        add(language, weightOf(written, hasLower, count) * (0.4 + 0.6 / languages.length));
        // `y` between two words, but not of a formula.
        if (written.length > 1 || (words.length <= 8 && (evidence.get(language)?.size ?? 0) > 0))
          note(language, written);
      }
    }
  }
  const names = (text.match(/(?<!\p{L})\p{Lu}[\p{L}\p{M}]*/gu) ?? []).join(' ');
  const small = text.replace(/(?<!\p{L})(?:\p{Lu}[\p{L}\p{M}]*|zł(?!\p{L}))/gu, '');
  for (const [pattern, languages, weight] of letters) {
    const count = (where: string): number => Math.min(20, where.match(pattern)?.length ?? 0);
    // Names are of any language.
    const found = pattern.source.includes('’') ? count(text) : count(small) + 0.4 * count(names);
    if (found === 0) continue;
    for (const language of languages) {
      add(language, weight * found ** 0.7);
      if (weight >= 0.8 && found >= 1) note(language, pattern.source);
      // Letters of one language alone are stronger evidence.
      if (weight >= 1 && found >= 1 && languages.length === 1) note(language, `only ${pattern.source}`);
    }
  }
  // English, where nothing tells: its small words are left out of headings.
  add('en', 0.45);
  const [best] = [...scores].sort(([, one], [, other]) => other - one);
  if (best === undefined || best[0] === 'en') return best?.[1] === 0.45 ? undefined : 'en';
  // A few words alike don't make another language of a long sentence.
  // Without words of theirs, letters may be those of names.
  if (lists[best[0]] === undefined) return best[1] >= 2 && count <= 40 ? best[0] : undefined;
  const isClear = (evidence.get(best[0])?.size ?? 0) >= 2 || (count <= 3 && best[1] >= 0.9);
  return isClear && best[1] >= Math.max(0.75, 0.1 * Math.min(count, 100)) ? best[0] : undefined;
}

/** Names and abbreviations are weaker evidence than words, and letters alone weaker still. */
function weightOf(written: string, hasLower: boolean, place: number): number {
  if (written.length === 1) return written === written.toLowerCase() ? 0.5 : 0.1;
  if (written === written.toUpperCase() && written !== written.toLowerCase()) return hasLower ? 0.1 : 0.5;
  return place > 1 && /^\p{Lu}/u.test(written) ? 0.4 : 1;
}

const latinOnly = /\p{Script=Latin}{2}/u;
/** Letters of scripts that one language has, and Chinese. */
const ofOwnScript = new RegExp(scripts.map(([, pattern]) => pattern.source).join('|'), 'u');

/**
 * The language of a sentence within a paragraph of another: that of the paragraph, unless the sentence's words clearly tell
 * another.
 */
export function languageOfSentence(sentence: string, paragraph: string): string {
  const words = new Set(sentence.toLowerCase().match(word));
  if (ofOwnScript.test(sentence)) return latinOnly.test(sentence) ? paragraph : (languageOf(sentence) ?? paragraph);
  const isLatin = lists[paragraph] !== undefined;
  const counts = new Map<string, number>();
  for (const written of words)
    for (const language of languagesOfWord.get(written) ?? []) counts.set(language, (counts.get(language) ?? 0) + 1);
  const [best = paragraph, most = 0] = [...counts].reduce<readonly [string?, number?]>(
    (first, next) => (next[1] > (first[1] ?? 0) ? next : first),
    [],
  );
  const own = counts.get(paragraph) ?? 0;
  const isClear = isLatin
    ? best !== paragraph && own * 3 <= most && most >= (own === 0 && words.size <= 6 ? 2 : 3)
    : words.size >= 3;
  return isClear
    ? ((isLatin ? [languageOf(sentence)].find((language) => language === best) : languageOf(sentence)) ?? paragraph)
    : paragraph;
}

/** A BCP 47 tag, also of a language that isn't spoken here; undefined if nothing tells. */
export function languageOf(text: string): string | undefined {
  const sample = text.slice(0, sampleLength);
  const counts = scripts.map(([language, pattern]) => [language, sample.match(pattern)?.length ?? 0] as const);
  const count = (language: string): number => counts.find(([name]) => name === language)?.[1] ?? 0;
  // Japanese and Korean may have more Chinese characters than their own.
  if (count('ja') > 0 && count('ja') * 10 >= count('zh')) return 'ja';
  if (count('ko') > 0 && count('ko') * 3 >= count('zh')) return 'ko';
  if (count('zh') > 0) return japanese.test(sample) ? 'ja' : 'zh';
  const [language, most] = counts.reduce((best, next) => (next[1] > best[1] ? next : best));
  const latinLetters = sample.match(latin)?.length ?? 0;
  const others = sample.match(otherLetters)?.length ?? 0;
  if (others > most && others >= latinLetters) return 'und';
  // Letters of Greek name quantities in other languages.
  const isWritten = language !== 'el' || /\p{Script=Greek}{2}/u.test(sample);
  if (isWritten && most > 0 && (most >= latinLetters || (language !== 'el' && most * 2 >= latinLetters))) {
    return foreignLetters.test(sample) ? 'und' : language;
  }
  const spoken = latinLetters === 0 ? undefined : latinLanguage(sample);
  if (spoken === undefined || spoken === 'en') {
    const street = sample.length < 200 ? streets.find(([pattern]) => pattern.test(sample))?.[1] : undefined;
    if (street !== undefined) return street;
  }
  return spoken === 'en' ? spoken : languageOfMoney(sample, spoken);
}
