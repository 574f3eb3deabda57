import { isRecord } from "../text/is-record.ts"

/** What a call returns that stopped because the store asked it to. */
export const stoppedResult = { stopped: true } as const

export const isStoppedResult = (result: unknown): boolean => isRecord(result) && result["stopped"] === true
