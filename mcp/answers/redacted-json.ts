/** Returns a value as JSON. Secrets are removed from each text separately, so that the JSON stays valid. */
export const redactedJson = (value: unknown, redact: (text: string) => string, indent?: number): string =>
  JSON.stringify(value, (_key, each: unknown) => (typeof each === "string" ? redact(each) : each), indent)
