import { createHash, randomInt } from "node:crypto"
import { idAlphabet } from "../domain/text/id-alphabet.ts"

const randomText = (length: number): string =>
  Array.from({ length }, () => idAlphabet[randomInt(idAlphabet.length)]).join("")

/** Lengths to try in turn: an id is made longer when it is taken. */
export const sessionIdLengths = [6, 6, 7, 8, 10, 12, 16] as const

/** 50 digits `[0-9a-z]` that follow from the text: the same text always gives the same ids. */
export const digitsOf = (text: string): string =>
  BigInt(`0x${createHash("sha256").update(text).digest("hex")}`)
    .toString(36)
    .padStart(50, "0")

/** A session's id, which is also its `task_id`: `[a-z0-9]`. */
export const newSessionId = (length: number): string => randomText(length)

export const newRunId = (): string => `run_${randomText(20)}`

export const newMessageId = (): string => `msg_${randomText(20)}`

/** The run that a message with a preset id starts, so that a repeated request starts one run. */
export const runIdFor = ({ messageId }: { readonly messageId?: string }): string =>
  messageId === undefined ? newRunId() : messageId.replace(/^msg_/, "run_")
