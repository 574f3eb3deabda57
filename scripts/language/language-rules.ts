import { startsAsMessage, startsInImperative } from "./first-word.ts"
import type { WrittenText } from "./read-source.ts"

/** What a text does against a rule. */
export interface LanguageProblem extends Pick<WrittenText, "file" | "line"> {
  readonly rule: "error-form" | "help-verb"
  readonly text: string
}

/** Returns what is wrong with the form of an error message: it is one sentence that states facts. */
const errorProblems = (text: string): readonly string[] => [
  ...(startsAsMessage(text) ? [] : ["start in lower case"]),
  ...(/[.!]\s*$/.test(text) ? ["end without a full stop"] : []),
  ...(/[a-z)…]\. [A-Z…]/.test(text) ? ["write one sentence; put what to do after a colon or semicolon"] : []),
  ...(/!(?!=)|\b(?:please|sorry|oops)\b/i.test(text) ? ["state facts only"] : []),
]

const problemsOf = ({ kind, text }: WrittenText): readonly string[] => {
  if (kind === "error") return errorProblems(text)
  return kind === "help" && !startsInImperative(text) ? ["start with a verb in the imperative"] : []
}

const excerpt = (text: string): string => JSON.stringify(text.length > 90 ? `${text.slice(0, 89)}…` : text)

/** Returns what is wrong with the form of errors and help texts, in their order. */
export const checkLanguage = (texts: readonly WrittenText[]): readonly LanguageProblem[] =>
  texts.flatMap((written) =>
    problemsOf(written).map((problem) => ({
      file: written.file,
      line: written.line,
      rule: written.kind === "help" ? "help-verb" : "error-form",
      text: `${problem}: ${excerpt(written.text)}`,
    })),
  )
