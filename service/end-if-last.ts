import { setTimeout as delay } from "node:timers/promises"
import { requestStop } from "./ask-service.ts"
import { waitForEnd } from "./hold-service.ts"

const deliveryWaitMs = 30_000
const askAgainMs = 100

/** Ends the service of a data directory if no other command is connected and no run is active, and waits for its end. `command`: as for `requestStop`. */
export const endIfLast = async (
  dataDir: string,
  { socket, command }: { readonly socket: string; readonly command: string },
): Promise<void> => {
  const untilMs = performance.now() + deliveryWaitMs
  for (;;) {
    const stop = { now: false, by: "last-command", leaves_deliveries: performance.now() >= untilMs } as const
    const answer = await requestStop(socket, stop, command).catch(() => undefined)
    if (answer?.stopping === true) await waitForEnd(dataDir, new AbortController().signal)
    if (answer?.waits !== "deliveries") return
    await delay(askAgainMs)
  }
}
