const defaultPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

const isUsable = (value: string | undefined): value is string => value !== undefined && !value.includes("\0")

/**
 * Returns the environment of tools' processes: the listed variables that are set, and no others of `source`.
 * PATH has a default, since no command would be found without it.
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

/** Returns the environment inside a sandbox, where the real home and temporary directories do not exist. */
export const sandboxEnvironment = (env: Readonly<Record<string, string>>): Readonly<Record<string, string>> => ({
  ...env,
  HOME: "/tmp",
  TMPDIR: "/tmp",
})
