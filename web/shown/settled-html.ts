/**
 * Returns the page's form of rendered Markdown: lower headings, boxes of task lists, and the alignment of columns as a class, since the content policy
 * refuses styles.
 */
export const settledHtml = (html: string): string =>
  html
    .replaceAll(/<(t[hd]) style="text-align:(left|center|right)">/g, '<$1 class="$2">')
    .replaceAll(
      /(<li>\n?(?:<p>)?)\[([ xX])\] /g,
      (_, start: string, mark: string) => `${start}${mark === " " ? "☐" : "☑"} `,
    )
    .replaceAll(/<(\/?)h([1-6])>/g, (_, end: string, level: string) => `<${end}h${Math.min(6, Number(level) + 2)}>`)
