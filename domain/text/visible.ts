/** Characters that a screen hides, or shows in another order than they run. Tabs and line breaks remain. */
const unseen =
  // oxlint-disable-next-line no-control-regex
  /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u00AD\u061C\u180E\u200B-\u200F\u2028-\u202E\u2060-\u206F\uFEFF]|\p{Variation_Selector}|[\u{E0000}-\u{E00FF}]/gu

/** Writes out characters that a person would not see: people decide on what they see. */
export const visible = (text: string): string =>
  text.replaceAll(unseen, (sign) => {
    const code = (sign.codePointAt(0) ?? 0).toString(16)
    return code.length > 4 ? `\\u{${code}}` : `\\u${code.padStart(4, "0")}`
  })
