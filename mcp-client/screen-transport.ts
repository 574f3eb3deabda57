import type { JSONRPCMessage, MessageExtraInfo, Transport } from "@modelcontextprotocol/client"
import { limitProgress } from "./limit-progress.ts"
import { screenMessages } from "../domain/text/foreign/screen-messages.ts"

/**
 * Makes a transport pass on only messages that are not nested too deep, and progress in bounded numbers, to every receiver. The transport itself is changed, since the client
 * uses more of it than its interface says.
 */
export const screenTransport = <T extends Transport>(transport: T): T => {
  const report = (error: Error): void => transport.onerror?.(error)
  let receiver: Transport["onmessage"]
  Object.defineProperty(transport, "onmessage", {
    configurable: true,
    enumerable: true,
    get: () => receiver,
    set: (receive: Transport["onmessage"]) => {
      receiver =
        receive &&
        screenMessages<JSONRPCMessage, MessageExtraInfo>({
          receive: limitProgress(receive),
          refuse: (answer) => void transport.send(answer).catch(report),
          report,
        })
    },
  })
  return transport
}
