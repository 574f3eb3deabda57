/** The text that replaces secrets. */
export const redactionMark = "[redacted]"
/** A shorter value is not a secret, and redacting it would garble texts. */
export const shortestSecret = 4

/** Returns the forms in which a secret may appear in a text: literally, escaped in JSON, or encoded in a URL. */
const spellings = (secret: string): readonly string[] => [
  secret,
  JSON.stringify(secret).slice(1, -1),
  encodeURIComponent(secret.toWellFormed()),
]

/** Removes the secrets that it knows from a text. */
export interface Redact {
  (text: string): string
  /**
   * Returns how much of a text that continues can be redacted by itself: what follows is, or may become, a secret with the characters to come.
   * Absent if there are no secrets.
   */
  readonly settledLength?: (text: string) => number
  /** Returns the secrets of several lines. Absent if there are no secrets; a function, so that no log of it contains them. */
  readonly secretLines?: () => readonly string[]
}

/** Returns the end of an occurrence of a secret that contains the offset `at` but does not start there. */
const endOfMatchAround = (text: string, at: number, forms: readonly string[]): number | undefined => {
  for (const form of forms) {
    const start = text.slice(Math.max(0, at - form.length + 1), at + form.length - 1).indexOf(form)
    if (start !== -1) return Math.max(0, at - form.length + 1) + start + form.length
  }
  return undefined
}

const settledLength = (text: string, forms: readonly string[], longest: number): number => {
  let at = Math.max(0, text.length - longest + 1)
  while (at < text.length) {
    const rest = text.slice(at)
    if (!forms.some((form) => form.length > rest.length && form.startsWith(rest))) at += 1
    else {
      const end = endOfMatchAround(text, at, forms)
      if (end === undefined) return at
      at = end
    }
  }
  return text.length
}

const formsOf = (secrets: readonly string[]): readonly string[] =>
  [...new Set(secrets.filter((secret) => secret.length >= shortestSecret).flatMap(spellings))].toSorted(
    (left, right) => right.length - left.length,
  )

const replaceAll = (text: string, forms: readonly string[]): string =>
  forms.reduce((clean, secret) => clean.replaceAll(secret, () => redactionMark), text)

/**
 * Creates a function that redacts the values of secrets, longest first. A function is asked for the values each time, and returns the same list until
 * it has another one.
 */
export const createRedact = (secrets: readonly string[] | (() => readonly string[])): Redact => {
  if (typeof secrets !== "function") {
    const forms = formsOf(secrets)
    return forms.length === 0 ? (text) => text : redactOf(() => forms)
  }
  let known = secrets()
  let forms = formsOf(known)
  return redactOf(() => {
    const present = secrets()
    if (present !== known) forms = formsOf(present)
    known = present
    return forms
  })
}

const redactOf = (formsNow: () => readonly string[]): Redact =>
  Object.assign((text: string) => replaceAll(text, formsNow()), {
    settledLength: (text: string) => {
      const forms = formsNow()
      return settledLength(text, forms, forms[0]?.length ?? 0)
    },
    secretLines: () => formsNow().filter((form) => form.includes("\n")),
  })

/** Returns the last characters of a text that continues. It is redacted before it is cut, and a secret that may have begun at its end is left out. */
export const redactedTail = (text: string, characters: number, redact: Redact): string =>
  redact(text.slice(0, redact.settledLength?.(text) ?? text.length))
    .slice(-characters)
    .toWellFormed()

/** Redacts each text in a JSON value separately, so that a redaction cannot break the JSON. */
export const redactTexts = <T>(value: T, redact: Redact): T =>
  JSON.parse(JSON.stringify(value), (_key, each: unknown) => (typeof each === "string" ? redact(each) : each))
