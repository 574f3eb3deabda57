/** Returns the pattern of `like … escape '\'` for texts that contain another one, letter by letter. */
export const containing = (text: string): string => `%${text.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`
