import { type QueryDefinition, setHandler, type SignalDefinition } from "@temporalio/workflow"

/** The descriptions that the Temporal UI shows with each name, in which people also read which signals only programs send. */
const signals: Readonly<Record<string, string>> = {
  approve: 'Approve pending calls: "all", the id of a call, or a list of ids',
  reject: 'Reject pending calls: "all", an id, a list of ids, or {"ids": […], "reason": "…"}',
  input: "Answer the question that the session asks: the text",
  steer: "Redirect a run at its next safe point: the text",
  decide: "Decide about single calls of a pause: {decision_id, checkpoint_id, decisions}",
  inbox: "Sent by Adjutant: a message whose text is in the store",
  child: "Sent by Adjutant: a sub-agent has paused, continued or ended",
  slot: "Sent by the lane: this run has a slot",
  binding: "Sent by Adjutant: the session was bound to a thread, or unbound",
  acquire: "Sent by Adjutant: a run requests a slot",
  release: "Sent by Adjutant: a run no longer needs its slot",
  setModel: "Sent by Adjutant: the model for the next steps, where no worker answered the update in time",
  retry: "Try again now instead of after the current wait: to send the message, or to call the model",
}

const queries: Readonly<Record<string, string>> = {
  status: "Status, run, checkpoint, steps and model",
  pending: "The calls that wait for a decision, and their checkpoint",
  usage: "Tokens and cost of the current run",
  tree: "The session and its sub-agents with their statuses",
  queue: "Capacity, holders of slots, and the queued runs in their order",
}

export const updateDescriptions = {
  decide: "Decide about pending calls and get the answer: {decision_id, checkpoint_id, decisions}",
  send: "Send a message or an answer and get the id of its run: the text",
  steer: "Redirect a run at its next safe point: the text",
  setModel: "Use another model from the next step on: the name of a configured model",
  withdraw: "Take back a message that no run has read yet: {id}",
} as const

/** Registers the handler of a signal with its description. */
export const handleSignal = (
  signal: SignalDefinition<[unknown]> | SignalDefinition,
  handler: (value?: unknown) => void,
): void => setHandler(signal, handler, { description: signals[signal.name] })

/** Registers the handler of a query with its description. */
export const handleQuery = <Answer>(query: QueryDefinition<Answer>, handler: () => Answer): void =>
  setHandler(query, handler, { description: queries[query.name] })
