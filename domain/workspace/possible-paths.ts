/**
 * Returns what in an argument or another configured text can be a path: the text itself, and its parts as in `--file=x` and `sh -c "./x && ./y"`.
 * Most of them name nothing.
 */
export const possiblePaths = (text: string): readonly string[] => [
  ...new Set([text, ...text.split(/[\s=:,;"'`()<>|&]+/)].filter((part) => part !== "" && !part.includes("\0"))),
]

/** Returns the same for a shell command, also where quotes and backslashes divide a path. */
export const pathsInCommand = (command: string): readonly string[] => [
  ...new Set([command, command.replaceAll(/["'\\]/g, "")].flatMap(possiblePaths)),
]
