const keyPatterns = [
  /\bsk-[A-Za-z0-9_*-]{6,}/g,
  /\b(Bearer|Basic)\s+[A-Za-z0-9._~+/=*-]{6,}/gi,
  /\b(?:api[-_]?key|access[-_]?token|token|key)=[^\s&"']{4,}/gi,
  /(?<=:\/\/)[^\s/@]+@/g,
]

/** A text without the given secrets, and without whatever looks like a key: providers repeat parts of a key in their errors. */
export const redactSecrets = (text: string, secrets: readonly (string | undefined)[]): string => {
  let clean = text
  for (const secret of secrets) if (secret) clean = clean.replaceAll(secret, "[redacted]")
  for (const pattern of keyPatterns) clean = clean.replaceAll(pattern, "[redacted]")
  return clean
}
