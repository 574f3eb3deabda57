/**
 * Returns what in an argument or another configured text can be a path: the text itself, and its parts as in `--file=x` and `sh -c "./x && ./y"`.
 * Most of them name nothing.
 */
export const possiblePaths = (text: string): readonly string[] => [
  ...new Set([text, ...text.split(/[\s=:,;"'`()<>|&]+/)].filter((part) => part !== "" && !part.includes("\0"))),
]

const home = /^(?:~|\$HOME|\$\{HOME\})(?=\/)/
const workingDirectory = /^(?:\$PWD|\$\{PWD\})(?=\/)/

/** Each is joined with each path of a text. */
const maxDirectories = 100

const quotes = /["'\\]/g

const isAbsolute = (path: string): boolean => path.startsWith("/")

/** Returns the directories to which a shell command changes, one from the other. */
const changedDirectories = (command: string, expand: (path: string) => string): readonly string[] => {
  const changes = command.matchAll(/(?:^|[\s;&|(])(?:cd|pushd)\s+(?:--\s+)?((?:"[^"]*"|'[^']*'|[^\s;&|()"'])+)/g)
  const directories: string[] = []
  for (const [, to = ""] of [...changes].slice(0, maxDirectories)) {
    const directory = expand(`${to.replaceAll(quotes, "")}/`).replace(/\/+$/, "")
    const before = directories.at(-1)
    directories.push(before === undefined || isAbsolute(directory) ? directory : `${before}/${directory}`)
  }
  return directories
}

/**
 * Returns the same for an argument or another configured text that a shell may read: `~`, `$HOME` and `$PWD` are resolved, quotes within a path left out,
 * and paths also taken from the directories to which the text changes. What else a shell would resolve, such as patterns and other variables, is not found.
 */
export const shellPaths = (text: string, homeDirectory: string): readonly string[] => {
  const expand = (path: string): string => path.replace(home, () => homeDirectory).replace(workingDirectory, () => ".")
  const parts = [text, text.replaceAll(quotes, "")].flatMap(possiblePaths).map(expand)
  const directories = changedDirectories(text, expand)
  const below = parts.filter((part) => !isAbsolute(part))
  return [...new Set([...parts, ...directories.flatMap((each) => below.map((part) => `${each}/${part}`))])]
}

/** Returns a folder as a configuration names it with all that it contains; other named paths are those of files. */
export const namedFolder = (folder: string): string => `${folder}/`

/** Returns the named paths of whole folders. */
export const foldersNamed = (names: readonly string[]): readonly string[] =>
  names.flatMap((name) => (name.length > 1 && name.endsWith("/") ? [name.slice(0, -1)] : []))

/** Returns the same for a shell command, also where quotes and backslashes divide a path. */
export const pathsInCommand = (command: string): readonly string[] => [
  ...new Set([command, command.replaceAll(quotes, "")].flatMap(possiblePaths)),
]
