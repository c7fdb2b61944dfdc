/** Languages as clients name them, and as they are called here. */
import { mapOf } from '../table.ts';

const tagsOfNames = mapOf(`
  arabic=ar|burmese=my|chinese=zh|danish=da|dutch=nl|english=en|finnish=fi|french=fr|german=de|greek=el|hebrew=he|hindi=hi|
  indonesian=id|italian=it|japanese=ja|khmer=km|korean=ko|lao=lo|malay=ms|norwegian=nb|polish=pl|portuguese=pt|russian=ru|
  spanish=es|swahili=sw|swedish=sv|tagalog=tl|thai=th|turkish=tr|vietnamese=vi
`);
const tagsOfOthers = mapOf('cmn=zh|yue=zh|no=nb|nn=nb|fil=tl|iw=he|in=id');

/** Whether it is the English name of a language that is spoken here. */
export const isLanguageName = (name: string): boolean => tagsOfNames.has(name.toLowerCase());

/** The language of a BCP 47 tag or a name as it is called here, such as `nb` for `no-NO`. */
export function languageTagOf(tag: string): string {
  const [primary = ''] = tag.toLowerCase().split(/[-_]/);
  return tagsOfNames.get(primary) ?? tagsOfOthers.get(primary) ?? primary;
}
