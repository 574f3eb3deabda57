import { signal } from "@preact/signals"
import { server } from "../api/server.ts"
import { repeated } from "./connection.ts"

/** Whether the token of this tab may approve calls and raise limits. Until it is known, what needs it is not offered. */
export const mayApprove = signal(false)

const retryMs = 2_000

/** Asks the server what the token may do. */
export const readCaller = async (): Promise<void> => {
  const connection = repeated("caller")
  try {
    const { scopes } = await server.caller()
    mayApprove.value = scopes.includes("approve")
    connection.works()
  } catch (error) {
    connection.failed(error)
    setTimeout(() => void readCaller(), retryMs)
  }
}
