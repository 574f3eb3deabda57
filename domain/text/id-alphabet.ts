/** The characters of ids that people read and type. */
export const idAlphabet = "abcdefghijklmnopqrstuvwxyz0123456789"
