/** Whether a text without a stated format is Markdown, as language models and READMEs write it. */

/**
 * Marks that prose doesn't have. Each pattern is bounded, so that all of them take linear time. A single asterisk, a hash
 * before a number, a dash in front of a word and a sum such as `2*3*4` are prose.
 */
const structures: readonly RegExp[] = [
  // Headings, and fences of code.
  /^ {0,3}#{1,6}[ \t]+[^\s#]/mu,
  /^ {0,3}\S[^\n]{0,200}\n {0,3}(?:={3,}|-{3,})[ \t]*$/mu,
  /^ {0,3}(?:`{3,}|~{3,})[\w+#.-]{0,30}[ \t]*$/mu,
  // **bold**, __bold__ but for the names of Python, ~~gone~~, ==marked==, *emphasis*, _emphasis_, `code`
  /(?<![*\p{Script=Latin}\p{N}])\*\*(?=[^\s*])[^*\n]{0,300}[^\s*]\*\*(?!\*)|(?<![*\p{Script=Latin}\p{N}])\*\*[^\s*]\*\*(?!\*)/u,
  /(?<![\w_])__(?!(?:init|main|name|file|str|repr|len|call|enter|exit|iter|next|new|del|doc|all|dict|class|eq|hash|add|version|future|slots|getitem|setitem|getattr|setattr|version_info|pycache)__)(?=[^\s_])[^_\n]{1,300}(?<=[^\s_])__(?![\w_])/u,
  /(?<![~\w])~~(?=[^\s~])[^~\n]{0,300}[^\s~]~~(?![~\w])|(?<![=\w])==(?=[^\s=])[^=\n]{0,300}[^\s=]==(?![=\w])/u,
  /(?<![*\p{L}\p{N}])\*(?=[\p{L}"“‘'])[^*\n]{1,200}(?<=[\p{L}\p{N}.!?,"”’'])\*(?![*\p{L}\p{N}])/u,
  /(?<![\w_])_(?=[\p{L}"“])[^_\n]{1,200}(?<=[\p{L}.!?,"”])_(?![\w_])/u,
  /(?<![`\w])`(?=[^\s`])[^`\n]{0,200}`(?![`\w])/u,
  // Links, images, notes, links of wikis.
  /\[[^[\]\n]{1,300}\]\((?:[a-z][a-z+]{1,9}:|[/#.]|[\w-]{1,60}[./])[^()\s]{0,1000}(?:[ \t]+"[^"\n]{0,200}")?\)|!\[[^[\]\n]{0,300}\]\([^()\s]{1,1000}\)/u,
  /\[\^[\w-]{1,40}\]|\[\[[^[\]\n]{1,200}\]\]/u,
  // A quotation, an item of a list with a bullet, two with numbers, a task.
  /^ {0,3}>[ \t]?(?:[\p{L}"“*[]|>)/mu,
  /^ {0,3}[*-][ \t]+(?=[\p{L}"“'*_[(`])(?!\[[ xX]?\]?$)/mu,
  /^ {0,3}\+[ \t]+\p{L}[^\n]{0,1000}\n {0,3}\+[ \t]+\p{L}/mu,
  /^ {0,3}\d{1,3}[.)][ \t]+\S[^\n]{0,1000}\n{1,2} {0,3}\d{1,3}[.)][ \t]+\S/mu,
  // The line below the head of a table.
  /^ {0,3}\|?[ \t]*:?-{3,100}:?[ \t]*\|(?:[ \t|:-]{0,500})$/mu,
  // A block of HTML, a container, settings in front of the text.
  /^ {0,3}<(?:h[1-6]|p|div|ul|ol|li|table|details|summary|blockquote|center|section|br|hr|img)(?:[ \t][^<>\n]{0,300})?\/?>|<br ?\/?>/imu,
  /^:{3,}[ \t]*\w/mu,
  /^\uFEFF?(?:---[ \t]*\r?\n[\w-]{1,60}[ \t]*:[^\n]{0,1000}\n(?:[^\n]{0,1000}\n){0,50}?(?:---|\.\.\.)|\+\+\+[ \t]*\r?\n(?:[^\n]{0,1000}\n){1,50}?\+\+\+)[ \t]*(?:\r?\n|$)/u,
  // Formulas; entities of HTML, and marks that a backslash keeps from being mark-up.
  /(?<![\w$\\])\$(?=[^$\n]{0,200}[\\^_=])(?=\S)[^$\n]{1,200}(?<=\S)\$(?![\w$])/u,
  /&(?:amp|nbsp|quot|lt|gt|apos|hellip|[mn]dash|[rl][sd]quo|copy|#\d{2,5});/u,
  /(?<![\w:\\/])\\[*_#]/u,
  /\$\$[^$\n]{1,300}\$\$|\\\([^\n]{1,300}?\\\)|\\\[[^\n]{1,300}?\\\]/u,
];

/** @example looksLikeMarkdown('## News\n\n- **One** thing') // true */
export const looksLikeMarkdown = (text: string): boolean => structures.some((structure) => structure.test(text));
