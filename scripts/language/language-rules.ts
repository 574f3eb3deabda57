import { startsAsMessage, startsInImperative, startsInThirdPerson } from "./first-word.ts"
import { phrasesIn } from "./phrases.ts"
import type { LanguageProblem, WrittenText } from "./written-text.ts"

interface Violation {
  /** Offset in the text of what breaks the rule. */
  readonly offset: number
  readonly text: string
}

type Rule = (written: WrittenText) => readonly Violation[]

const excerpt = (text: string): string => JSON.stringify(text.length > 90 ? `${text.slice(0, 89)}…` : text)

const violation = (isBroken: boolean, text: string, reason: string): readonly Violation[] =>
  isBroken ? [{ offset: 0, text: `${reason}: ${excerpt(text)}` }] : []

/** Help texts and errors are read by the rules of their kind as well, so that a phrase in them is reported once, as a string. */
const phraseRule: Rule = ({ kind, text }) =>
  kind === "error" || kind === "help"
    ? []
    : phrasesIn(text).map(({ found, instead, offset }) => ({ offset, text: `"${found}"; instead: ${instead}` }))

const errorForm: Rule = ({ kind, file, text }) => {
  if (kind !== "error" || /^(?:test|bench)\//.test(file)) return []
  return [
    ...violation(!startsAsMessage(text), text, "start in lower case"),
    ...violation(/[.!]\s*$/.test(text), text, "end without a full stop"),
    ...violation(/[a-z)…]\. [A-Z…]/.test(text), text, "write one sentence; put what to do after a colon or semicolon"),
    ...violation(/!(?!=)|\b(?:please|sorry|oops)\b/i.test(text), text, "state facts only"),
  ]
}

const docstringVerb: Rule = ({ kind, text }) =>
  violation(
    kind === "docstring" && !text.startsWith("@") && !startsInThirdPerson(text),
    text,
    'start with a verb in the third person, as "Returns"',
  )

const helpVerb: Rule = ({ kind, text }) =>
  violation(kind === "help" && !startsInImperative(text), text, "start with a verb in the imperative")

/** The rules of the project's English, by name. */
export const languageRules: Readonly<Record<string, Rule>> = {
  phrase: phraseRule,
  "error-form": errorForm,
  "docstring-verb": docstringVerb,
  "help-verb": helpVerb,
}

/** Returns what breaks a rule in the texts, in their order. */
export const checkLanguage = (texts: readonly WrittenText[]): readonly LanguageProblem[] =>
  texts.flatMap((written) =>
    Object.entries(languageRules).flatMap(([rule, check]) =>
      check(written).map(({ offset, text }) => ({
        file: written.file,
        line: written.line + written.text.slice(0, offset).split("\n").length - 1,
        rule,
        text,
      })),
    ),
  )
