import { execFile } from "node:child_process"
import { promisify } from "node:util"
import type { KeyCommand } from "../../contracts/config/config-models.ts"
import type { Environment } from "../../domain/environment.ts"
import { systemCode } from "../../domain/text/error-message.ts"
import { type MutableEnvironment, rememberSecret } from "./secret-files.ts"

const keyTimeoutMs = 60_000
const maxOutputBytes = 64 * 1024
const shownCharacters = 300

/** The keys that programs print, each used until it expires. */
export interface KeyCommands {
  /** Returns the key that a program prints. The program runs once for all who wait for it. Rejects if it prints none. */
  keyOf(command: KeyCommand, env: Environment): Promise<string>
  /** Runs the program again for the next caller: the provider has refused its key. */
  forget(command: KeyCommand): void
}

const reasonOf = (error: unknown, command: string): string => {
  if (systemCode(error) === "ENOENT") return `${command} was not found`
  if (!(error instanceof Error)) return `${command} failed`
  if ("killed" in error && error.killed === true) return `${command} ran longer than ${keyTimeoutMs} ms`
  const stderr = "stderr" in error && typeof error.stderr === "string" ? error.stderr.trim() : ""
  const code = "code" in error ? `exit code ${String(error.code)}` : "it failed"
  return `${command}: ${code}${stderr === "" ? "" : `: ${stderr.slice(-shownCharacters)}`}`
}

const run = async ({ command, args, cwd }: KeyCommand, env: Environment, setting: string): Promise<string> => {
  const options = { cwd, env: { ...env }, timeout: keyTimeoutMs, maxBuffer: maxOutputBytes, encoding: "utf8" } as const
  const { stdout } = await promisify(execFile)(command, [...args], options).catch((error: unknown) => {
    throw new Error(`the program of ${setting} gave no key: ${reasonOf(error, command)}`, { cause: error })
  })
  const key = stdout.trim()
  if (key === "" || /\s/.test(key))
    throw new Error(`the program of ${setting} gave no key: ${command} must print the key alone, in one line`)
  return key
}

/** Creates an empty memory of keys. Each key is remembered as a secret of `secretsOf`, to be redacted from then on; `setting` names its source in errors. */
export const createKeyCommands = (
  secretsOf: MutableEnvironment,
  now: () => number = Date.now,
  setting = "apiKeyCommand",
): KeyCommands => {
  const known = new Map<string, { readonly key: Promise<string>; readonly untilMs: number }>()
  return {
    keyOf(command, env) {
      const name = JSON.stringify(command)
      const present = known.get(name)
      if (present !== undefined && now() < present.untilMs) return present.key
      const key = run(command, env, setting).then((value) => {
        rememberSecret(secretsOf, value)
        return value
      })
      known.set(name, { key, untilMs: now() + command.expiresSeconds * 1_000 })
      key.catch(() => known.delete(name))
      return key
    },
    forget: (command) => void known.delete(JSON.stringify(command)),
  }
}
