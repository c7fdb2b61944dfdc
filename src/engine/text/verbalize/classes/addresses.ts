/** Addresses of the web and of mail, bare domains, handles and hashtags. */
import { pattern } from '../../pattern.ts';
import { isNext, take, tokenClass } from '../place.ts';

/** Names of top-level domains that are no file's ending and no word behind a missing space. */
const domains =
  'com|org|net|edu|gov|mil|int|info|biz|io|ai|app|dev|xyz|online|store|shop|blog|cloud|tech|site|eu|uk|de|fr|es|nl|pl|ru|cn|jp|kr|au|ca|br|mx|se|dk|fi|nz|za|gr|cz|hu|ro|ua|tr|il|ae|hk|sg|tw|vn|th|ph|my|id|ar|cl|co|tv|fm|gg|ly|cc|ch|at|be|it|me|us|in|is';
/** Also words, so that only the rest of an address decides. */
const wordDomains = /\.(?:at|be|it|me|us|in|is|id|my|co|ca|es|fm|za|na)$/i;

const scheme =
  /(?:(?:https?|ftp):\/\/|file:\/\/(?=\/?\w))[^\s<>"\ue000\u3000-\u303f\uff00-\uffef\p{sc=Han}]+|www\.[^\s<>"\ue000\u3000-\u303f\uff00-\uffef\p{sc=Han}]+/iuy;
const mail = /[\w.+&-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}(?:\/[\w./-]{1,200})?/y;
const domain = pattern(
  'uy',
)`((?:[\p{L}\p{N}](?:[\p{L}\p{N}_-]{0,61}[\p{L}\p{N}])?\.){1,6}(?:${domains}))(?![\p{L}\p{N}_-]|\.[\p{L}\p{N}])(?::\d{2,5}(?!\d))?(/[^\s<>"\ue000\u3000-\u303f\uff00-\uffef\p{sc=Han}]{0,2000})?`;
const closing = new Set('.,;:!?)]\'"');

const isWordLike = (written: string): boolean =>
  wordDomains.test(written) && written.split('.').length < 3 && !/[\d-]/.test(written);

export const addresses = tokenClass(
  { begins: 'letter digit', isJoined: true, digitsBefore: ['letter', 'number', 'hyphen', 'sign', 'point'] },
  (cursor, place) => {
    const { text, start } = place;
    if (/[@.]$/.test(place.before)) return undefined;
    // Most words are no address.
    take(cursor, /[\p{L}\p{N}_+-]{1,64}/uy);
    if (!isNext(text, cursor.at, /[.:@]/y)) return undefined;
    cursor.at = start;
    if ((take(cursor, scheme) ?? take(cursor, mail)) === undefined) {
      const [, host = '', path] = take(cursor, domain) ?? [];
      const isNamed = /\p{L}/u.test(host.slice(0, host.lastIndexOf('.')));
      if (!isNamed || (path === undefined && isWordLike(host))) return undefined;
    }
    // Without the marks of the sentence behind it.
    while (cursor.at > start && closing.has(text[cursor.at - 1] ?? '')) cursor.at -= 1;
    return { kind: 'address', text: text.slice(start, cursor.at) };
  },
);

const handle = /@([A-Za-z_]\w{0,39}(?:\.\w{1,20}){0,2})(?![\w@])/y;
const hashtag = /#([\p{L}_][\p{L}\p{M}\p{N}_]{0,99})/uy;

/** `@user_name` and `#TextToSpeech`. */
export const socialNames = tokenClass({ begins: 'sign', signs: '@#' }, (cursor, place) => {
  if (/[\p{L}\p{N}_&/]$/u.test(place.before)) return undefined;
  // `order #A1234`
  const name = take(cursor, /#(?![A-Z]{2,3}(?:19|20)\d\d(?!\d))(?=[A-Z]{1,3}-?\d{2,12}(?![\p{L}\p{N}]))/uy);
  if (name !== undefined) return 'number ';
  const match = take(cursor, handle) ?? take(cursor, hashtag);
  return match === undefined ? undefined : { kind: 'address', text: match[0] };
});
