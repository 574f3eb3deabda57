/** Matches one character of a text, or any number of them. `within`: characters that a wildcard does not match. */
type Part =
  | { readonly kind: "character"; readonly character: string }
  | { readonly kind: "one" | "many"; readonly within: RegExp | null }

const partsOf = (pattern: string, boundary: RegExp): readonly Part[] => {
  const parts: Part[] = []
  const characters = Array.from(pattern)
  for (let index = 0; index < characters.length; index += 1) {
    const character = characters[index] ?? ""
    if (character === "?") parts.push({ kind: "one", within: boundary })
    else if (character !== "*") parts.push({ kind: "character", character })
    else if (characters[index + 1] === "*") {
      parts.push({ kind: "many", within: null })
      index += 1
    } else parts.push({ kind: "many", within: boundary })
  }
  return parts
}

const matchesWildcard = (within: RegExp | null, character: string): boolean =>
  within === null || !within.test(character)

/** Longer texts match no pattern. */
const maxText = 32_768
/** Characters times parts of the pattern: more would block the worker, and does not match. */
const maxWork = 2_000_000

/** Adds the positions behind wildcards that match nothing. */
const withSkips = (parts: readonly Part[], positions: ReadonlySet<number>): Set<number> => {
  const all = new Set(positions)
  for (const position of all) if (parts[position]?.kind === "many") all.add(position + 1)
  return all
}

const matches = (pattern: string, text: string, boundary: RegExp): boolean => {
  if (text.length > maxText) return false
  const parts = partsOf(pattern, boundary)
  if (text.length * parts.length > maxWork) return false
  let positions = withSkips(parts, new Set([0]))
  for (const character of text) {
    const next = new Set<number>()
    for (const position of positions) {
      const part = parts[position]
      if (part === undefined) continue
      if (part.kind === "character") {
        if (part.character === character) next.add(position + 1)
      } else if (matchesWildcard(part.within, character)) next.add(part.kind === "many" ? position : position + 1)
    }
    if (next.size === 0) return false
    positions = withSkips(parts, next)
  }
  return positions.has(parts.length)
}

/** Returns whether a path matches a pattern: `*` and `?` stay inside one directory, `**` crosses directories. */
export const matchesPath = (pattern: string, path: string): boolean =>
  matches(pattern.replace(/^(\.\/)+(?=.)/, ""), path, /\//)

/** Returns whether a text matches a pattern: `*` and `?` stay inside one line, `**` matches anything. */
export const matchesText = (pattern: string, text: string): boolean => matches(pattern, text, /[\n\r\u2028\u2029]/)

/** Words that a shell passes on unchanged: no quoting, expansion, redirection, list or comment. Only spaces separate them. */
const plainWords = /^[A-Za-z0-9 _./:=@%+,-]*$/

const restMark = " *"

/** Returns why a text cannot be a pattern for shell commands; undefined if it is one. */
export const commandPatternProblem = (pattern: string): string | undefined => {
  if (!pattern.endsWith("*")) return undefined
  const prefix = pattern.slice(0, -restMark.length)
  if (!pattern.endsWith(restMark) || prefix.trim() === "")
    return 'a pattern for a command is its exact text, or its first words followed by " *"'
  return plainWords.test(prefix)
    ? undefined
    : 'the words before " *" cannot contain characters with a meaning for the shell: name the exact command instead'
}

/**
 * Returns whether a shell command matches a pattern: it is the same text, or it starts with the words before ` *` and continues with plain words. A
 * command that composes others, expands or redirects anything matches only as the exact text.
 */
export const matchesCommand = (pattern: string, command: string): boolean => {
  if (commandPatternProblem(pattern) !== undefined) return false
  if (!pattern.endsWith(restMark)) return pattern === command
  const prefix = pattern.slice(0, -restMark.length)
  if (command === prefix) return true
  return command.startsWith(`${prefix} `) && plainWords.test(command.slice(prefix.length))
}
