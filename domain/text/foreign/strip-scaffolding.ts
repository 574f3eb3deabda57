/** Tags whose content is not meant for readers: a model's thinking, recalled memories, calls and results written as XML. */
const blockTags = [
  "think(?:ing)?",
  "thoughts?",
  "antthinking",
  "relevant[-_]memories",
  "tool_calls?",
  "tool_use",
  "tool_results?",
  "tool_responses?",
  "function_calls?",
  "function_results?",
  "function_responses?",
  "invoke",
  "function(?==)",
].join("|")

/** Matches an opening or closing tag, including one that is cut off. The match includes what follows the name, so that no character is scanned twice. */
const tagPattern = new RegExp(`<\\s{0,4}(/?)\\s{0,4}(?:[a-z]{1,20}:)?(${blockTags})(?=[\\s/>=]|$)([^<>]*)>?`, "gi")

const familyOf = (name: string): string => {
  const plain = name.toLowerCase().replace("-", "_")
  if (/^(?:think|thought|antthink)/.test(plain)) return "thinking"
  return plain.replace(/s$/, "")
}

/** Removes whole blocks; one without an end is removed up to the end of the text. */
const stripBlocks = (text: string): string => {
  const kept: string[] = []
  let from = 0
  let open: string | undefined
  for (const match of text.matchAll(tagPattern)) {
    const [whole, slash, name = "", rest = ""] = match
    if (open !== undefined && !(slash === "/" && familyOf(name) === open)) continue
    if (open === undefined) kept.push(text.slice(from, match.index))
    from = match.index + whole.length
    open = open === undefined && slash !== "/" && !rest.endsWith("/") ? familyOf(name) : undefined
  }
  if (open === undefined) kept.push(text.slice(from))
  return kept.join("")
}

/** Matches `<|assistant|>` and its variants in full-width characters. */
const controlToken = /[<\uFF1C]\s?[|\uFF5C][^|\uFF5C<>\uFF1C\uFF1E\n]{0,200}[|\uFF5C]\s?[>\uFF1E]/g

const startsDowngraded = (line: string): boolean => /^\s{0,8}\[Tool (?:Call|Result)\b/i.test(line)

/** Returns where the bracket that opens at `from` closes, or the end of the text: brackets in quoted texts do not count. */
const closingBracket = (text: string, from: number): number => {
  let depth = 0
  let isQuoted = false
  for (let at = from; at < text.length; at += 1) {
    const character = text[at]
    if (isQuoted && character === "\\") at += 1
    else if (character === '"') isQuoted = !isQuoted
    else if (!isQuoted && character === "[") depth += 1
    else if (!isQuoted && character === "]" && (depth -= 1) === 0) return at + 1
  }
  return text.length
}

/** Removes calls that another harness flattened into text, wherever one begins in a line: its arguments are lines of JSON. */
const stripContexts = (text: string): string => {
  let kept = ""
  let from = 0
  for (const { index } of text.matchAll(/\[Historical context\b/gi)) {
    if (index < from) continue
    kept += text.slice(from, index)
    from = closingBracket(text, index)
  }
  return kept + text.slice(from)
}

/** Removes calls and results that were flattened into text; each extends to the next empty line. */
const stripDowngraded = (text: string): string => {
  if (!/\[Tool/i.test(text)) return text
  let isInside = false
  return text
    .split("\n")
    .filter((line) => {
      if (startsDowngraded(line)) isInside = true
      else if (line.trim() === "") isInside = false
      return !isInside
    })
    .join("\n")
}

/** Removes, in one pass, what models and their harnesses add to a text. The remaining text may form new scaffolding. */
export const stripScaffolding = (text: string): string =>
  stripDowngraded(stripContexts(stripBlocks(text).replaceAll(controlToken, "")))
