import { z } from "zod"
import { parseJson } from "../../domain/text/json/parse-json.ts"

/** State that one round of a call with questions passes to the next. It comes back through the client, so that it grants no rights. */
export type RoundState = Readonly<z.infer<typeof schema>>

const schema = z.object({
  /** The session that the first round started. */
  sessionId: z.string().max(200).optional(),
  /** Questions that the person left open. They are not asked again. */
  dismissed: z.array(z.string().max(500)).max(10_000).default([]),
  /** What to say about answers that came too late. */
  late: z.array(z.string().max(2_000)).max(1_000).default([]),
  /** How often the call has asked. */
  rounds: z.number().int().min(0).default(0),
})

const none: RoundState = { dismissed: [], late: [], rounds: 0 }

export const readRoundState = (text: string | undefined): RoundState => {
  if (text === undefined) return none
  try {
    const parsed = schema.safeParse(parseJson(text))
    return parsed.success ? parsed.data : none
  } catch {
    return none
  }
}

export const writeRoundState = (state: RoundState): string => JSON.stringify(state)
