/** Front and back matter that listeners would skip, by the titles that it has in the 30 languages of VoxCPM 2. */
import { quote } from '../messages.ts';
import type { KeptKind, LeftOutCounter } from './left-out.ts';

/** In the order of the languages' codes; titles of several languages are listed once. */
const titles: Readonly<Partial<Record<KeptKind, string>>> = {
  contents: `المحتويات|فهرس المحتويات|جدول المحتويات|indhold|indholdsfortegnelse|inhalt|inhaltsverzeichnis|περιεχόμενα|
    πίνακας περιεχομένων|contents|table of contents|list of contents|contenido|tabla de contenido|tabla de contenidos|índice|
    índice general|sisällys|sisällysluettelo|sommaire|table des matières|תוכן העניינים|תוכן עניינים|תוכן|विषय सूची|विषय-सूची|
    विषयसूची|अनुक्रम|daftar isi|indice|indice generale|sommario|目次|មាតិកា|목차|차례|ສາລະບານ|isi kandungan|kandungan|မာတိကာ|
    inhoud|inhoudsopgave|innhold|innholdsfortegnelse|spis treści|sumário|conteúdo|содержание|оглавление|innehåll|
    innehållsförteckning|yaliyomo|สารบัญ|talaan ng nilalaman|mga nilalaman|nilalaman|içindekiler|mục lục|目录|目錄`,
  index: `الفهرس|كشاف|stikordsregister|register|sachregister|personenregister|namenregister|stichwortverzeichnis|ευρετήριο|
    index|general index|subject index|index of names|índice alfabético|índice analítico|índice onomástico|índice temático|
    hakemisto|index général|index des noms|מפתח|אינדקס|अनुक्रमणिका|शब्दानुक्रमणिका|indeks|indice analitico|indice dei nomi|索引|
    សន្ទស្សន៍|색인|찾아보기|ດັດສະນີ|အညွှန်း|trefwoordenregister|stikkordregister|skorowidz|índice remissivo|указатель|
    предметный указатель|именной указатель|алфавитный указатель|sakregister|faharasa|ดัชนี|dizin|chỉ mục|bảng chỉ mục`,
  copyright: `حقوق النشر|حقوق الطبع|حقوق الطبع والنشر|ophavsret|kolofon|impressum|urheberrecht|lizenz|kolophon|
    πνευματικά δικαιώματα|κολοφώνας|copyright|copyright page|copyright notice|license|licence|imprint|colophon|uncopyright|
    legal notice|the full project gutenberg license|the full project gutenberg licence|full project gutenberg license|
    project gutenberg license|derechos de autor|créditos|página de créditos|página legal|colofón|licencia|tekijänoikeus|
    tekijänoikeudet|kolofoni|mentions légales|droits d'auteur|achevé d'imprimer|page de copyright|זכויות יוצרים|קולופון|कॉपीराइट|
    प्रकाशनाधिकार|hak cipta|diritti d'autore|licenza|奥付|著作権|រក្សាសិទ្ធិ|판권|판권지|저작권|ລິຂະສິດ|မူပိုင်ခွင့်|colofon|
    auteursrecht|opphavsrett|prawa autorskie|nota wydawnicza|stopka redakcyjna|direitos autorais|direitos de autor|
    ficha técnica|colofão|авторское право|авторские права|выходные данные|upphovsrätt|hakimiliki|ลิขสิทธิ์|karapatang-ari|
    telif hakkı|telif hakları|künye|bản quyền|版权|版权页|版权信息|版权声明|版權|版權頁`,
};

const plain = (title: string): string =>
  title
    .normalize('NFKC')
    .replaceAll('’', "'")
    .toLowerCase()
    // The dot of the Turkish capital.
    .replaceAll('i\u0307', 'i')
    .replace(/[^\p{L}\p{M}\p{N}'-]+/gu, ' ')
    .trim();

const kinds = new Map(
  (Object.entries(titles) as [KeptKind, string][]).flatMap(([kind, all]) =>
    all.split('|').map((title) => [plain(title), kind] as const),
  ),
);

/** The kind of a chapter or page with this title; undefined if it is to be read. */
export const matterOf = (title: string): KeptKind | undefined => kinds.get(plain(title));

/** Leaves out a chapter by its title, and counts it. @returns the warning; undefined if the chapter is to be read */
export function leaveByTitle(title: string, leftOut: LeftOutCounter): string | undefined {
  const matter = matterOf(title);
  if (matter === undefined || !leftOut.leaves(matter)) return undefined;
  leftOut.count(matter, title);
  return `the chapter ${quote(title)} is left out; --keep ${matter} reads it`;
}
