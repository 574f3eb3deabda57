/**
 * Returns what in an argument or another configured text can be a path: the text itself, and its parts as in `--file=x` and `sh -c "./x && ./y"`.
 * Most of them name nothing.
 */
export const possiblePaths = (text: string): readonly string[] => [
  ...new Set([text, ...text.split(/[\s=:,;"'`()<>|&]+/)].filter((part) => part !== "" && !part.includes("\0"))),
]
