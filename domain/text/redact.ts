/** The text that replaces secrets. */
export const redactionMark = "[redacted]"
/** A shorter value is not a secret, and redacting it would garble texts. */
const shortestSecret = 4

/** Returns the forms in which a secret may appear in a text: literally, escaped in JSON, or encoded in a URL. */
const spellings = (secret: string): readonly string[] => [
  secret,
  JSON.stringify(secret).slice(1, -1),
  encodeURIComponent(secret.toWellFormed()),
]

/** Redacts the values of secrets in a text, longest first. */
export const redact = (text: string, secrets: readonly string[]): string =>
  [...new Set(secrets.filter((secret) => secret.length >= shortestSecret).flatMap(spellings))]
    .toSorted((left, right) => right.length - left.length)
    .reduce((clean, secret) => clean.replaceAll(secret, () => redactionMark), text)
