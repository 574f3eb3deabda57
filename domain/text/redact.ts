/** Replaces what must not be shown. */
export const redactionMark = "[redacted]"
/** A shorter value is no secret, and to strike it out would spoil any text. */
const shortestSecret = 4

/** A secret as it may stand in a text: as it is, inside JSON, or inside an address. */
const spellings = (secret: string): readonly string[] => [
  secret,
  JSON.stringify(secret).slice(1, -1),
  encodeURIComponent(secret.toWellFormed()),
]

/** Strikes the values of secrets out of a text, longest first. */
export const redact = (text: string, secrets: readonly string[]): string =>
  [...new Set(secrets.filter((secret) => secret.length >= shortestSecret).flatMap(spellings))]
    .toSorted((left, right) => right.length - left.length)
    .reduce((clean, secret) => clean.replaceAll(secret, () => redactionMark), text)
