/** Words in place of pictures and formulas, as pages and documents have it. */

/** Alternatives that programs write where nobody has described a picture or a formula. */
export const noAlternative =
  /^\s{0,9}(?:no )?alt(?:ernat(?:e|ive))?(?:[ -]text)?(?: (?:is )?(?:not (?:available|provided)|unavailable|missing))?\.?\s{0,9}$/i;
/** Names of files and of nothing but a picture. */
const noDescription =
  /^\s{0,9}(?:(?:an? )?(?:image|img|picture|pic|photo|photograph|graphic|illustration|figure|icon|drawing|thumbnail|bild|foto|imagen|imagem|immagine|рисунок|изображение|图片|圖片|画像)[\s_.-]{0,3}[\dA-Za-z]{0,5}|[^\s]{1,100}\.(?:jpe?g|png|gif|svg|webp|bmp|tiff?|avif|wmf|emf))\s{0,9}$/i;
/** Remark that Word adds to its own descriptions. */
const automatic =
  /\s{0,9}Description automatically generated(?: with (?:low|medium|high|very high) confidence)?\.?\s{0,9}$/i;

export function spokenAlternative(alternative: string): string | undefined {
  if (noAlternative.test(alternative) || noDescription.test(alternative)) return undefined;
  return alternative.replace(automatic, '').trim() || undefined;
}
