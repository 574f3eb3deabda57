/** What the output of a failed command says of the sandbox around it. */
export interface SandboxTrouble {
  /** Programs that were not found, by their names. */
  readonly programs: readonly string[]
  /** Hosts that the command did not reach; empty if it named none. Absent: it did not fail for want of network. */
  readonly hosts?: readonly string[]
  /** Paths that are read-only. */
  readonly readOnly: readonly string[]
}

const name = String.raw`[A-Za-z0-9_][\w.+-]{0,100}`
const programPatterns = [
  new RegExp(String.raw`(?:^|[:\s])(${name}): (?:command )?not found$`, "gm"),
  new RegExp(String.raw`^(?:/usr/bin/)?env: ['‘"]?(${name})['’"]?: No such file or directory`, "gm"),
  new RegExp(String.raw`exec: "(${name})": executable file not found`, "g"),
  new RegExp(String.raw`spawn (${name}) ENOENT`, "g"),
]

const host = String.raw`([A-Za-z0-9](?:[A-Za-z0-9.-]{0,250}[A-Za-z0-9])?)`
const hostPatterns = [
  new RegExp(String.raw`[Cc]ould not resolve (?:host|proxy):? '?${host}`, "g"),
  new RegExp(String.raw`getaddrinfo (?:EAI_AGAIN|ENOTFOUND) ${host}`, "g"),
  new RegExp(String.raw`dial tcp: lookup ${host}`, "g"),
  new RegExp(String.raw`[Ff]ailed to resolve '${host}'`, "g"),
  new RegExp(String.raw`unable to resolve host address .${host}`, "g"),
]
const offline =
  /Temporary failure in name resolution|Name or service not known|EAI_AGAIN|ENETUNREACH|Network is unreachable|no such host|failed to lookup address information|[Cc]ould not resolve|Failed to establish a new connection/

const readOnlyPatterns = [
  /['"‘]?(\/[^\s'"’:]{1,500})['"’]?: Read-only file system/g,
  /EROFS: read-only file system, \w+ '(\/[^']{1,500})'/g,
]

const maxNamed = 5

const matches = (patterns: readonly RegExp[], text: string): readonly string[] =>
  [...new Set(patterns.flatMap((pattern) => [...text.matchAll(pattern)].map((found) => found[1] ?? "")))].slice(
    0,
    maxNamed,
  )

/** Longer outputs have the reason at their end. */
const searchedCharacters = 20_000

/** Returns what the output of a failed command says of the sandbox around it. */
export const sandboxTrouble = (output: string): SandboxTrouble => {
  const text = output.slice(-searchedCharacters)
  const hosts = matches(hostPatterns, text).filter((each) => each.includes(".") || each === "localhost")
  return {
    programs: matches(programPatterns, text),
    ...(hosts.length > 0 || offline.test(text) ? { hosts } : {}),
    readOnly: matches(readOnlyPatterns, text),
  }
}
