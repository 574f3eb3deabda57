import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { z } from "zod"

/** The instructions that determine what the provider answers. */
export const waitingPrompts = {
  /** The first request of each run gets no answer, and the next one an answer at once. */
  model: "Answer late.",
  /** The first answer is a command that takes long, and the next one ends the run. */
  tool: "Run a command.",
} as const

export interface WaitingProvider {
  /** Its Chat Completions address. */
  readonly baseUrl: string
  /** Resolves when the next request arrives that gets no answer. */
  held(): Promise<void>
  close(): Promise<void>
}

const requestSchema = z.object({
  messages: z.array(z.object({ role: z.string(), content: z.unknown().optional() })),
})

const answerOf = (delta: object, finish: string): string => {
  const chunk = (fields: object) =>
    `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", ...fields })}\n\n`
  return [
    chunk({ choices: [{ index: 0, delta: { role: "assistant", ...delta }, finish_reason: null }] }),
    chunk({ choices: [{ index: 0, delta: {}, finish_reason: finish }] }),
    chunk({ choices: [], usage: { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 } }),
    "data: [DONE]\n\n",
  ].join("")
}

const command = {
  ...{ index: 0, id: "call_1", type: "function" },
  function: { name: "Bash", arguments: JSON.stringify({ command: "sleep 30" }) },
}

/** Starts a provider on which a run waits until its process is killed. */
export const startWaitingProvider = async (): Promise<WaitingProvider> => {
  let hold: (() => void) | undefined
  const server = createServer((request, response) => {
    void request.toArray().then((parts) => {
      const { messages } = requestSchema.parse(JSON.parse(parts.join("")))
      const asks = (prompt: string): boolean => JSON.stringify(messages).includes(prompt)
      if (asks(waitingPrompts.model) && hold !== undefined) {
        hold()
        hold = undefined
        return
      }
      const isFirst = messages.every(({ role }) => role !== "assistant")
      response.writeHead(200, { "content-type": "text/event-stream" })
      response.end(
        asks(waitingPrompts.tool) && isFirst
          ? answerOf({ tool_calls: [command] }, "tool_calls")
          : answerOf({ content: "Done." }, "stop"),
      )
    })
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a server that listens on a port has such an address
  const { port } = server.address() as AddressInfo
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    held: () => new Promise((resolve) => (hold = resolve)),
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, "close")
    },
  }
}
