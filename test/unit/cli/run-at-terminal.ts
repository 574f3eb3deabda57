import { runCli } from "../../../cli/run-cli.ts"
import { personAtTerminal } from "../../../cli/terminal/person.ts"
import type { OutcomeDocument } from "../../../contracts/session/outcome-document.ts"
import type { StubTerminal } from "../../helpers/terminal/stub-terminal.ts"
import { completed, paused, stubEnvironment } from "./stub-environment.ts"

/** Runs a command with the person at a terminal. Its run has these outcomes, one after another. */
export const runAtTerminal = (
  { streams }: StubTerminal,
  argv: readonly string[],
  documents: readonly OutcomeDocument[] = [paused, completed],
  env: Readonly<Record<string, string>> = {},
) => {
  const left = [...documents]
  const stub = stubEnvironment({ env, client: { wait: async () => left.shift() } })
  const { environment } = stub
  const person = personAtTerminal(streams, environment.interrupts)
  if (person === undefined) throw new Error("the streams are not a terminal")
  const io = { ...environment.io, stdin: streams.stdin }
  return { ended: runCli(argv, { ...environment, io, person }), ...stub }
}
