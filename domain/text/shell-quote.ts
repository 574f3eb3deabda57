/** A byte that is not text; see `tools/disk/disk-path.ts`. */
const rawByte = /[\udc80-\udcff]/gu

const quotedByte = (byte: string): string => `'$'\\x${(byte.charCodeAt(0) & 0xff).toString(16)}''`

/** Returns one word of a POSIX shell command, in quotes unless the shell reads it literally without them. */
export const shellQuote = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`).replaceAll(rawByte, quotedByte)}'`
