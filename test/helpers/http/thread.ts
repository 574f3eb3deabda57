import type { ConfigInput } from "../../../contracts/config/config.ts"
import type { ModelProvider } from "../../../models/model-provider.ts"
import { eventually } from "../eventually.ts"
import { type HttpHarness, openHttpHarness } from "./http-harness.ts"
import { signedBy } from "./signed-webhooks.ts"
import { type Answer, type Receiver, receiverSecret, startReceiver } from "./webhook-receiver.ts"

export interface ThreadOptions {
  readonly model: ModelProvider
  /** Settings of the channel, besides its addresses. */
  readonly channel?: Partial<NonNullable<ConfigInput["channels"]>[string]>
  readonly subagents?: ConfigInput["subagents"]
  /** How the channel answers a delivery. */
  readonly answer?: Answer
}

/** A chat whose threads are bound to sessions: signed requests in, signed deliveries out. Threads are `t1` by default. */
export interface Chat {
  /** Writes in a thread. Returns the id of the session that gets the message. */
  say(text: string, thread?: string, messageId?: string): Promise<string>
  /** Returns what was posted to a thread, oldest first. */
  said(thread?: string): readonly string[]
  /** Writes in a thread, and waits for the next text that is posted there. */
  answer(text: string, thread?: string): Promise<string>
}

export interface Thread extends Chat {
  readonly harness: HttpHarness
  readonly receiver: Receiver
  close(): Promise<void>
}

/** Returns the chat of a server's channel, whose secret is that of the receiver. */
export const createChat = (url: string, receiver: Receiver, channel = "team"): Chat => {
  let messages = 0
  const say: Chat["say"] = async (text, thread = "t1", id = `${thread}-${(messages += 1)}`) => {
    const body = JSON.stringify({ thread_key: thread, text, message_id: id })
    const headers = signedBy(receiverSecret, body, { id })
    const response = await fetch(`${url}/v1/channels/${channel}`, { method: "POST", body, headers })
    if (response.status !== 202) throw new Error(`the channel was answered with ${response.status}`)
    return ((await response.json()) as { readonly session_id: string }).session_id
  }
  const said: Chat["said"] = (thread = "t1") =>
    receiver.effects.filter(({ body }) => body.thread_key === thread).map(({ body }) => body.text)
  return {
    say,
    said,
    answer: async (text, thread = "t1") => {
      const before = said(thread).length
      await say(text, thread)
      await eventually(() => said(thread).length > before)
      return said(thread)[before] ?? ""
    },
  }
}

export const openThread = async ({ model, channel, subagents, answer }: ThreadOptions): Promise<Thread> => {
  const receiver = await startReceiver(answer)
  const env = { TEAM: receiverSecret }
  const team = { type: "webhook", outboundUrl: receiver.url, secretEnv: "TEAM", ...channel } as const
  const harness = await openHttpHarness(
    {
      model,
      env,
      config: {
        channels: { team },
        timing: { deliveryInitialMs: 50, deliveryMaxMs: 50 },
        ...(subagents === undefined ? {} : { subagents }),
      },
    },
    { env },
  )
  return { ...createChat(harness.url, receiver), harness, receiver, close: () => harness.close() }
}
