import hljs from "highlight.js/lib/core"
import bash from "highlight.js/lib/languages/bash"
import cpp from "highlight.js/lib/languages/cpp"
import css from "highlight.js/lib/languages/css"
import diff from "highlight.js/lib/languages/diff"
import go from "highlight.js/lib/languages/go"
import java from "highlight.js/lib/languages/java"
import json from "highlight.js/lib/languages/json"
import markdown from "highlight.js/lib/languages/markdown"
import python from "highlight.js/lib/languages/python"
import rust from "highlight.js/lib/languages/rust"
import sql from "highlight.js/lib/languages/sql"
import typescript from "highlight.js/lib/languages/typescript"
import xml from "highlight.js/lib/languages/xml"
import yaml from "highlight.js/lib/languages/yaml"

const languages = { bash, cpp, css, diff, go, java, json, markdown, python, rust, sql, typescript, xml, yaml }
for (const [name, language] of Object.entries(languages)) hljs.registerLanguage(name, language)

/** Extensions that are not the name of a language, nor one of its other names. */
const extensions: ReadonlyMap<string, string> = new Map([
  ["c", "cpp"],
  ["cjs", "typescript"],
  ["cts", "typescript"],
  ["h", "cpp"],
  ["mjs", "typescript"],
  ["mts", "typescript"],
  ["vue", "xml"],
])

/** Returns the language of a file by its name; undefined if its colours are not known. */
export const languageOf = (file: string): string | undefined => {
  const extension = /\.(\w+)$/.exec(file)?.[1]?.toLowerCase() ?? ""
  const name = extensions.get(extension) ?? extension
  return hljs.getLanguage(name) === undefined ? undefined : name
}

/** Returns a code with the colours of its language as HTML, in which the code itself is escaped; undefined if the language is not known. */
export const highlighted = (code: string, language: string): string | undefined =>
  hljs.getLanguage(language) === undefined ? undefined : hljs.highlight(code, { language, ignoreIllegals: true }).value
