import { startFakeProvider } from "../../../test/helpers/providers/fake-provider-server.ts"
import type { Call, Wire } from "./wires.ts"

/** A request's prompt, as far as it is compared. */
export interface Prompt {
  readonly isChild: boolean
  readonly answers: number
  readonly parts: readonly string[]
}

/** Where the model waits before it answers, until something has happened to the run. */
export type Stop = "steered" | "restarted"

export interface Conversation {
  readonly url: string
  readonly prompts: readonly Prompt[]
  /** Resolves when the model waits there. */
  reached(stop: Stop): Promise<void>
  release(stop: Stop): void
  close(): Promise<void>
}

const childPrompt = "Look around."
const delegate: Call = ["Task", { description: "Look", prompt: childPrompt, subagent_type: "general" }]
const look: Call = ["Lookup", { key: "v" }]

/** What the model answers, by the number of its answers in the prompt: what is missing here is a text. */
const calls: Readonly<Record<number, Call>> = {
  0: look,
  1: ["Act", { key: "v" }],
  2: look,
  3: delegate,
  4: delegate,
  5: look,
  7: look,
}
const stops: Readonly<Record<number, Stop>> = { 2: "steered", 5: "restarted" }

/** Starts a provider whose model has one conversation: it looks, changes something, delegates twice, ends, and continues when it is asked. */
export const startConversation = async (wire: Wire): Promise<Conversation> => {
  const prompts: Prompt[] = []
  const waits = (["steered", "restarted"] as const).map((stop) => {
    return [stop, { reached: Promise.withResolvers<void>(), released: Promise.withResolvers<void>() }] as const
  })
  const waitAt = new Map(waits)
  const server = await startFakeProvider(async ({ body }) => {
    const prompt = {
      isChild: JSON.stringify(body).includes("# Task"),
      answers: wire.answers(body),
      parts: wire.parts(body),
    }
    prompts.push(prompt)
    const { answers, isChild } = prompt
    if (isChild) return answers === 0 ? wire.call(1, ["LS", {}]) : wire.text(2, "It is empty.")
    const stop = stops[answers]
    const wait = stop === undefined ? undefined : waitAt.get(stop)
    wait?.reached.resolve()
    await wait?.released.promise
    const call = calls[answers]
    return call === undefined ? wire.text(answers + 1, `Looked ${answers} times.`) : wire.call(answers + 1, call)
  })
  return {
    url: server.url,
    prompts,
    reached: async (stop) => waitAt.get(stop)?.reached.promise,
    release: (stop) => waitAt.get(stop)?.released.resolve(),
    close: () => server.close(),
  }
}
