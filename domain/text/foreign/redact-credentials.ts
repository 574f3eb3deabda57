import { redactionMark } from "../redact.ts"

/** Secrets that can be recognised by their format. Each repetition covers one character class, so that the patterns cannot backtrack. */
const forms: readonly RegExp[] = [
  /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]{0,40}PRIVATE KEY-----|$)/g,
  /\b(?:sk|rk|pk)-[A-Za-z0-9_-]{16,}/g,
  /\b(?:sk|rk)_(?:live|test)_[A-Za-z0-9]{10,}/g,
  /\bgh[pousr]_[A-Za-z0-9]{16,}/g,
  /\bgithub_pat_[A-Za-z0-9_]{16,}/g,
  /\bglpat-[A-Za-z0-9_-]{16,}/g,
  /\bxox[abeoprs]-[A-Za-z0-9-]{10,}/g,
  /\bwhsec_[A-Za-z0-9+/=_-]{16,}/g,
  /\bAIza[A-Za-z0-9_-]{30,}/g,
  /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g,
  /\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*)?/g,
]

/** `Bearer …`, `password=…`, `"api_key": "…"`, `//user:password@host`: the name is kept, the value is removed. */
const named: readonly RegExp[] = [
  /\b((?:Bearer|Basic)\s{1,4})[A-Za-z0-9+/=._~-]{12,}/gi,
  /((?:api[_-]?key|access[_-]?key|secret[_-]?key|client[_-]?secret|auth[_-]?token|access[_-]?token|refresh[_-]?token|token|secret|password|passwd)["']?\s{0,4}[:=]\s{0,4}["']?)[^\s"'`,;<>()[\]{}]{8,}/gi,
  /(:\/\/[^\s:/@]{1,64}:)[^\s:/@[\]]{3,256}(?=@)/g,
]

/** Redacts everything that has the format of a credential. */
export const redactCredentials = (text: string): string => {
  const withoutForms = forms.reduce((clean, form) => clean.replaceAll(form, redactionMark), text)
  return named.reduce(
    (clean, pattern) => clean.replaceAll(pattern, (_, name: string) => name + redactionMark),
    withoutForms,
  )
}
