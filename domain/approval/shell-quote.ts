/** Returns one word of a POSIX shell command, in quotes unless the shell reads it literally without them. */
export const shellQuote = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
