/** Languages as clients name them, and as they are called here. */
import { tableOf } from '../table.ts';

const tagsOfNames = tableOf(`
  Arabic=ar|Burmese=my|Chinese=zh|Danish=da|Dutch=nl|English=en|Finnish=fi|French=fr|German=de|Greek=el|Hebrew=he|Hindi=hi|
  Indonesian=id|Italian=it|Japanese=ja|Khmer=km|Korean=ko|Lao=lo|Malay=ms|Norwegian=nb|Polish=pl|Portuguese=pt|Russian=ru|
  Spanish=es|Swahili=sw|Swedish=sv|Tagalog=tl|Thai=th|Turkish=tr|Vietnamese=vi
`);

const names = new Set(Object.keys(tagsOfNames).map((name) => name.toLowerCase()));

/** Whether it is the English name of a language that is spoken here. */
export const isLanguageName = (name: string): boolean => names.has(name.toLowerCase());

const aliases = new Map<string, string>([
  ...Object.entries(tagsOfNames).map(([name, tag]) => [name.toLowerCase(), tag] as const),
  ['cmn', 'zh'],
  ['yue', 'zh'],
  ['no', 'nb'],
  ['nn', 'nb'],
  ['fil', 'tl'],
  ['iw', 'he'],
  ['in', 'id'],
]);

/** The language of a BCP 47 tag or a name as it is called here, such as `nb` for `no-NO`. */
export function languageTagOf(tag: string): string {
  const [primary = ''] = tag.toLowerCase().split(/[-_]/);
  return aliases.get(primary) ?? primary;
}
