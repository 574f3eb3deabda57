import type { GlobalOptions } from "./global-options.ts"
import type { Interrupts } from "../terminal/interrupts.ts"
import type { Person } from "../terminal/person.ts"
import type { CliIo } from "../terminal/screen.ts"

/** What a command gets in addition to its flags. */
export interface CliContext {
  readonly io: CliIo
  readonly env: Readonly<Record<string, string | undefined>>
  /** Working directory of the process, absolute. */
  readonly cwd: string
  readonly options: GlobalOptions
  /** Asks the person at the terminal a question that is answered with yes or no. Absent if nobody can be asked. */
  readonly confirm?: (question: string) => Promise<boolean>
  /** The person at the terminal, who is asked at a pause. Absent unless every stream is a terminal. */
  readonly person?: Person
  readonly interrupts: Interrupts
}
