import { createHash, randomInt } from "node:crypto"
import { AdjutantError } from "../contracts/adjutant-error.ts"
import { idAlphabet } from "../domain/text/id-alphabet.ts"

const randomText = (length: number): string =>
  Array.from({ length }, () => idAlphabet[randomInt(idAlphabet.length)]).join("")

/** Lengths to try in turn: if an id is taken, a longer one is created. */
export const sessionIdLengths = [6, 6, 7, 8, 10, 12, 16] as const

/** Returns 50 digits `[0-9a-z]` that are derived from a text: the same text always gives the same digits. */
export const digitsOf = (text: string): string =>
  BigInt(`0x${createHash("sha256").update(text).digest("hex")}`)
    .toString(36)
    .padStart(50, "0")

/** Returns a new session id, which is also the `task_id`: `[a-z0-9]`. */
export const newSessionId = (length: number): string => randomText(length)

/** Returns a session id that no session has; a longer one if the shorter ones are taken. */
export const freeSessionId = async (isTaken: (id: string) => Promise<boolean>): Promise<string> => {
  for (const length of sessionIdLengths) {
    const id = newSessionId(length)
    if (!(await isTaken(id))) return id
  }
  throw new AdjutantError("storage_failed", "no free session id was found: run the command again")
}

export const newRunId = (): string => `run_${randomText(20)}`

export const newGrantId = (): string => `grant_${randomText(12)}`

export const newMessageId = (): string => `msg_${randomText(20)}`

/** Returns the id of the run that a message starts. A preset message id determines it, so that a repeated request starts one run. */
export const runIdFor = ({ messageId }: { readonly messageId?: string }): string =>
  messageId === undefined ? newRunId() : messageId.replace(/^msg_/, "run_")
