import type { Environment } from "../../domain/environment.ts"
import { isNotStarted, pagerCommand, type Person } from "./person.ts"
import type { CliIo } from "./screen.ts"

interface Output {
  readonly io: Pick<CliIo, "stdout">
  readonly env: Environment
  readonly person?: Person
}

const defaultRows = 24

/** Returns how many rows the terminal of the results has. */
export const rowsOf = ({ io }: Pick<Output, "io">): number => io.stdout.rows || defaultRows

/** Writes a text to stdout. One that is too long for the screen of a person is shown by the pager, if one is there and starts. */
export const writePaged = async ({ io, env, person }: Output, text: string, isLong: boolean): Promise<void> => {
  const pager = isLong && person !== undefined ? pagerCommand(env) : undefined
  const code = pager === undefined ? null : await person?.run({ command: pager, input: text })
  if (code === undefined || code === null || isNotStarted(code)) io.stdout.write(text)
}
