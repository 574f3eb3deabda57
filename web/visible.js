const hidden = /(?![\t\n ])[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]/gu

const spelledOut = (character) =>
  character
    .split("")
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
    .join("")

/** What a browser would hide, or show in another order than it runs, is written out: people decide on what they see. The same rule is in domain/text/visible.ts. */
export const visible = (text) => text.replaceAll(hidden, spelledOut)
