import type { AdjutantError } from "../../../contracts/adjutant-error.ts"
import { sandboxUnavailable } from "../sandbox-unavailable.ts"
import { sandboxEnvironment } from "../../tool-environment.ts"

export interface DockerEnvironment {
  /** Options of `docker run`; no value of the command's environment is among them. */
  readonly args: readonly string[]
  /** Where the client finds the values, beside what it needs itself. */
  readonly values: Readonly<Record<string, string>>
  /** Lines `NAME=value` for `--env-file`: what would shape the client, or the shell before it, had they it in their own environment. */
  readonly lines: string
}

/** Of the loader, of the shell that starts the client, which also sets some and has some of its own, and of the client. */
const shaping =
  /^(?:PATH|HOME|TMPDIR|USER|ENV|IFS|PS4|TMOUT|SHELLOPTS|POSIXLY_CORRECT|PWD|OLDPWD|SHLVL|LINES|COLUMNS|RANDOM|SECONDS|E?UID|PPID|(?:_|BASH|LD_|DYLD_|GCONV_|GLIBC_|MALLOC_|GO|SSH_|SSL_|XDG_|OTEL_|DOCKER|ADJUTANT_DOCKER).*)$/

/** Named without a value, they are not set in the container; else the client would set those of its own configuration, with their passwords. */
const proxyNames = ["HTTP_PROXY", "HTTPS_PROXY", "FTP_PROXY", "NO_PROXY", "ALL_PROXY"].flatMap((name) => [
  name,
  name.toLowerCase(),
])

/** The init of the container passes signals on to the command's process group, not to its first process alone. */
const fixed = ["TINI_KILL_PROCESS_GROUP=1", "HOME=/tmp", "TMPDIR=/tmp"]

const refuse = (name: string, why: string): AdjutantError =>
  sandboxUnavailable(
    `docker cannot pass on the environment variable ${JSON.stringify(name)}, ${why}; change it, or take it out of security.envAllow.`,
  )

/** What the image finds first, then what the environment names; each place once. */
const joinPaths = (...paths: readonly string[]): string =>
  [...new Set(paths.flatMap((path) => path.split(":")).filter((place) => place !== ""))].join(":")

/**
 * How the command's environment gets into a container.
 * @throws AdjutantError `sandbox_unavailable` for a name or value that docker cannot pass on
 */
export const dockerEnvironment = (env: Readonly<Record<string, string>>, imagePath: string): DockerEnvironment => {
  const { HOME: _home, TMPDIR: _tmpdir, ...rest } = sandboxEnvironment(env)
  const entries = Object.entries({ ...rest, PATH: joinPaths(imagePath, rest["PATH"] ?? "") })
  const values: Record<string, string> = {}
  const lines: string[] = []
  for (const [name, value] of entries) {
    if (!/^[^\s=#\0-][^\s=\0]*$/.test(name)) throw refuse(name, "since that is no usable name")
    if (value.includes("\0")) throw refuse(name, "since its value has a zero byte")
    if (!shaping.test(name)) values[name] = value
    else if (/[\r\n]/.test(value)) throw refuse(name, "since its value has more than one line")
    else lines.push(`${name}=${value}\n`)
  }
  const absent = proxyNames.filter((name) => !(name in values))
  return {
    args: [...fixed, ...Object.keys(values), ...absent].flatMap((entry) => ["--env", entry]),
    values,
    lines: lines.join(""),
  }
}
