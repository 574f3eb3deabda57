import { z } from "zod"
import { envNameSchema, httpUrlSchema, plainNameSchema } from "../names.ts"

const tokenEnv = envNameSchema.describe("Environment variable that contains the token of the service.")
const person = plainNameSchema
  .optional()
  .describe(
    "The one person, by their name in `people`, who reads the messages. Only then they contain what decides. Without it: several people can read them.",
  )
const address = z.email().max(254)
const kind = <const Name extends string>(name: Name) => z.literal(name).describe("Which service gets the messages.")
const apiUrl = (service: string) =>
  httpUrlSchema.optional().describe(`Address of the API, if it is not that of ${service}.`)

/** Where people get messages. */
export const notifySchema = z.discriminatedUnion("type", [
  z
    .strictObject({
      type: kind("ntfy"),
      url: httpUrlSchema
        .refine((url) => /^\/[A-Za-z0-9_-]{1,64}$/.test(new URL(url).pathname), "must end in one topic, as /my-topic")
        .describe("Address of the topic, as in `https://ntfy.sh/my-topic`."),
      tokenEnv: tokenEnv.optional(),
      person,
      replyTopic: z
        .string()
        .regex(/^[A-Za-z0-9_-]{1,64}$/, "must be the name of a topic")
        .optional()
        .describe(
          "Topic to which the buttons publish, and which the service reads; phones must be able to write to it without the token. Default: the topic and `-reply`.",
        ),
    })
    .describe("A topic of an ntfy server."),
  z
    .strictObject({
      type: kind("slack"),
      tokenEnv,
      channel: z.string().min(1).max(100).describe("Id of the channel, as in `C0123`."),
      inbound: plainNameSchema
        .optional()
        .describe("The inbound hook of type `slack` that receives the buttons. Without it, messages have no buttons."),
      apiUrl: apiUrl("Slack"),
    })
    .describe("A channel in Slack, by a bot with the scope `chat:write`."),
  z
    .strictObject({
      type: kind("telegram"),
      tokenEnv,
      chatId: z.number().int().describe("Id of the chat."),
      apiUrl: apiUrl("Telegram"),
    })
    .describe("A chat in Telegram, by a bot. Buttons count from people with `people.<name>.telegram`."),
  z
    .strictObject({
      type: kind("github"),
      tokenEnv,
      repository: z
        .string()
        .regex(/^[A-Za-z0-9-]{1,100}\/[A-Za-z0-9._-]{1,100}$/, "must be owner/name")
        .describe("Repository, as `owner/name`."),
      issue: z.number().int().positive().describe("Number of the issue or pull request that gets the comments."),
      apiUrl: apiUrl("GitHub"),
    })
    .describe("Comments on an issue or a pull request at GitHub."),
  z
    .strictObject({
      type: kind("email"),
      smtpUrlEnv: envNameSchema.describe(
        "Environment variable that contains the address of the mail server, as in `smtps://user:password@mail.example.com`.",
      ),
      from: address.describe("Address of the sender."),
      to: z.array(address).min(1).max(50).describe("Addresses of those who get the messages."),
      person,
    })
    .refine(({ to, person: reader }) => reader === undefined || to.length === 1, {
      path: ["to"],
      message: "must be the one address of the person",
    })
    .describe("E-mail over SMTP."),
  z
    .strictObject({
      type: kind("webhook"),
      url: httpUrlSchema.describe("Address to which messages are posted as JSON."),
      secretEnv: envNameSchema.describe("Environment variable that contains the secret with which they are signed."),
      person,
    })
    .describe("A program of your own, signed by Standard Webhooks."),
])
export type NotifyDestination = z.infer<typeof notifySchema>
/** A destination at one service. */
export type DestinationAt<Service extends NotifyDestination["type"]> = Extract<
  NotifyDestination,
  { readonly type: Service }
>

const names = (what: string) => z.array(plainNameSchema).default([]).describe(`Destinations of \`notify\` for ${what}.`)

export const notifyOnSchema = z.strictObject({
  approval: names("calls that wait for approval"),
  question: names("questions of agents"),
  failed: names("runs that failed"),
  finished: names("runs that completed"),
})
export type NotifyOn = z.infer<typeof notifyOnSchema>

/** The destinations of a run, with the environment variables of their secrets. */
export const runNotifySchema = z.object({
  destinations: z.record(z.string(), notifySchema),
  on: notifyOnSchema,
})
export type RunNotify = z.infer<typeof runNotifySchema>
