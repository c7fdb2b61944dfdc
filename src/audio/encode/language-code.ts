/** ISO 639-2 codes of the 30 languages of VoxCPM 2, by ISO 639-1, as MP4 and ID3 state languages. */
const codes: Readonly<Record<string, string>> = Object.fromEntries(
  `ar ara,my mya,zh zho,da dan,nl nld,en eng,fi fin,fr fra,de deu,el ell,he heb,hi hin,id ind,it ita,ja jpn,km khm,ko kor,lo lao,
  ms msa,no nor,nb nob,nn nno,pl pol,pt por,ru rus,es spa,sw swa,sv swe,tl tgl,th tha,tr tur,vi vie`
    .split(/,\s*/)
    .map((pair) => pair.split(' ')),
);

/** Three letters of a BCP 47 tag such as `en-GB`; undefined for a language that isn't known. */
export function languageCode(tag: string): string | undefined {
  const [language = ''] = tag.toLowerCase().split(/[-_]/);
  return Object.hasOwn(codes, language) ? codes[language] : /^[a-z]{3}$/.test(language) ? language : undefined;
}
