import type { AdjutantError } from "../../../contracts/adjutant-error.ts"
import { sandboxUnavailable } from "../../sandbox-unavailable.ts"
import { sandboxEnvironment } from "../../tool-environment.ts"

export interface DockerEnvironment {
  /** Options of `docker run`. They contain no value of the command's environment. */
  readonly args: readonly string[]
  /** Variables in the client's environment, from which it passes the values on. */
  readonly values: Readonly<Record<string, string>>
  /** Lines `NAME=value` for `--env-file`, for variables that would affect the client or its shell if they were in their own environment. */
  readonly lines: string
}

/** Variables of the loader, of the client, and of the shell that starts it, including those that the shell sets itself. */
const shaping =
  /^(?:PATH|HOME|TMPDIR|USER|ENV|IFS|PS4|TMOUT|SHELLOPTS|POSIXLY_CORRECT|PWD|OLDPWD|SHLVL|LINES|COLUMNS|RANDOM|SECONDS|E?UID|PPID|(?:_|BASH|LD_|DYLD_|GCONV_|GLIBC_|MALLOC_|GO|SSH_|SSL_|XDG_|OTEL_|DOCKER|ADJUTANT_DOCKER).*)$/

/**
 * A name without a value leaves the variable unset in the container. Otherwise, the client would set the proxies of its own configuration, with
 * passwords.
 */
const proxyNames = ["HTTP_PROXY", "HTTPS_PROXY", "FTP_PROXY", "NO_PROXY", "ALL_PROXY"].flatMap((name) => [
  name,
  name.toLowerCase(),
])

/** With these, the container's init passes signals on to the command's process group, not only to its first process. */
const fixed = ["TINI_KILL_PROCESS_GROUP=1", "HOME=/tmp", "TMPDIR=/tmp"]

const refuse = (name: string, why: string): AdjutantError =>
  sandboxUnavailable(
    `docker cannot pass on the environment variable ${JSON.stringify(name)}, ${why}; change it, or remove it from security.envAllow`,
  )

/** Joins paths in order: first those of the image, then those of the environment, each once. */
const joinPaths = (...paths: readonly string[]): string =>
  [...new Set(paths.flatMap((path) => path.split(":")).filter((place) => place !== ""))].join(":")

/**
 * Returns how the command's environment is passed to a container.
 * @throws AdjutantError `sandbox_unavailable` for a name or value that docker cannot pass on
 */
export const dockerEnvironment = (env: Readonly<Record<string, string>>, imagePath: string): DockerEnvironment => {
  const { HOME: _home, TMPDIR: _tmpdir, ...rest } = sandboxEnvironment(env)
  const entries = Object.entries({ ...rest, PATH: joinPaths(imagePath, rest["PATH"] ?? "") })
  const values: Record<string, string> = {}
  const lines: string[] = []
  for (const [name, value] of entries) {
    if (!/^[^\s=#\0-][^\s=\0]*$/.test(name)) throw refuse(name, "since its name is not valid")
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
