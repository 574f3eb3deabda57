const defaultPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

const isUsable = (value: string | undefined): value is string => value !== undefined && !value.includes("\0")

/**
 * The environment that tools' processes get: the listed names that are set, and nothing else of `source`.
 * PATH has a default, since no command would be found without one.
 */
export const toolEnvironment = (
  source: Readonly<Record<string, string | undefined>>,
  envAllow: readonly string[],
): Readonly<Record<string, string>> => {
  const allowed = envAllow.flatMap((name) => {
    const value = Object.hasOwn(source, name) ? source[name] : undefined
    return isUsable(value) ? [[name, value] as const] : []
  })
  return { PATH: defaultPath, ...Object.fromEntries(allowed) }
}

/** The same inside a sandbox, where the real home and its temporary directory do not exist. */
export const sandboxEnvironment = (env: Readonly<Record<string, string>>): Readonly<Record<string, string>> => ({
  ...env,
  HOME: "/tmp",
  TMPDIR: "/tmp",
})
