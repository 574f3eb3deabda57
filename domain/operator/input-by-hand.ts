import { type Checked, failed, passed } from "../checked.ts"
import { checkText, isMessageType } from "./operator-argument.ts"
import type { SessionMessage } from "../session/session-message.ts"
import type { DecisionSender } from "../session/session-state.ts"
import { isRecord } from "../text/is-record.ts"

/** Returns whether a person sent the decision by hand, as a signal or an update. Programs send an id, people do not. */
export const isDecisionByHand = (value: unknown): value is Readonly<Record<string, unknown>> =>
  isRecord(value) && value["decision_id"] === undefined

/** The sender of a decision that came from the Temporal UI or another tool of Temporal's; history has the name. */
export const operator: DecisionSender = { by: null, via: "temporal-ui" }

/** Converts a decision that was sent by hand to the form that programs send. What it says about its sender does not count. */
export const namedDecision = (
  { by: _by, ...value }: Readonly<Record<string, unknown>>,
  id: string,
): Readonly<Record<string, unknown>> => ({
  ...(value["all"] === undefined ? {} : { decisions: {} }),
  ...value,
  via: operator.via,
  decision_id: id,
})

export interface TextByHand {
  readonly text: string
  readonly type: SessionMessage["type"] | undefined
}

/** Parses what was sent by hand: a text, or `{text, type?}`. Returns undefined for the input of a program, which refers to a stored message by its id. */
export const textByHand = (value: unknown): Checked<TextByHand> | undefined => {
  if (isRecord(value) && (value["id"] !== undefined || value["text"] === undefined)) return undefined
  const { text, type, ...rest } = isRecord(value) ? value : { text: value, type: undefined }
  const [unknown] = Object.keys(rest)
  if (unknown !== undefined) return failed(`unknown field ${unknown}`)
  if (type !== undefined && !isMessageType(type)) return failed("type must be message, follow_up or steering")
  const checked = checkText(text)
  return checked.ok ? passed({ text: checked.value, type }) : checked
}
