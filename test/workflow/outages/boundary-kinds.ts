import type { StartRequest } from "../../../sessions/start-request.ts"
import type { FakeReply } from "../../helpers/models/fake-model.ts"

/** A kind of session that the tests play. Between them, the kinds use nearly all activities. */
interface Kind {
  /** What the model answers, turn by turn; the last answer is repeated. */
  readonly replies: readonly FakeReply[]
  readonly request?: Partial<StartRequest>
  /** How often the session and its sub-agents pay. */
  readonly payments: number
}

const pay = ["Pay", { amount: 1 }] as const
const payTwice: FakeReply = { calls: [pay, pay] }

/** A parent starts its child, and ends as soon as it can: its run waits for the child, whose pause it is told before. */
const parentOf = (task: string, extra: Readonly<Record<string, unknown>> = {}): readonly FakeReply[] => [
  { calls: [["sessions_spawn", { task, ...extra }]] },
  { calls: [["sessions_yield", {}]] },
  { text: "All done." },
]

/** By the instruction. Where several kinds use an activity in the same way, the first one is played. */
const kinds = {
  PAYING: { replies: [payTwice, { text: "Paid." }], payments: 2 },
  PARENT: { replies: parentOf("CHILD"), payments: 1 },
  /** Its child works in a git worktree. */
  CODING: { replies: parentOf("CHILD", { worktree: true }), payments: 1 },
  /** People and programs without a signature send it what others send through the store: a message in its first turn, and decisions. */
  TYPED: { replies: [{ calls: [pay] }, payTwice, { text: "Paid." }], payments: 3 },
  PROGRAM: { replies: [], request: { agent: "program" }, payments: 1 },
  /** A person gives the result of the program. */
  ANSWERED: { replies: [], request: { agent: "program" }, payments: 0 },
  BRIDGE: { replies: [], request: { agent: "bridge" }, payments: 1 },
  /** The receiver refuses its announcement for good. */
  REFUSED: { replies: [{ text: "Done." }], payments: 0 },
  /** Its provider is away until the session shows that it waits. */
  AWAY: { replies: [{ text: "Done." }], payments: 0 },
  /** Its conversation does not fit into the context of its model. */
  LONG: {
    replies: [1, 2, 3, 4].map((at): FakeReply => ({ calls: [["Look", { at }]] })).concat({ text: "Seen." }),
    request: { model: "small" },
    payments: 0,
  },
  /** Begins with a message in a thread; its child stays open in a thread of its own until it is closed. */
  CHAT: {
    replies: [
      { text: "On it.", calls: [["sessions_spawn", { task: "HELPER", thread: true }]] },
      { text: "Started." },
      { text: "All done." },
    ],
    payments: 0,
  },
} as const satisfies Readonly<Record<string, Kind>>

export type KindName = keyof typeof kinds
export const kindNames = Object.keys(kinds) as readonly KindName[]

export const kindOf = (name: KindName): Kind => kinds[name]

/** What the model answers in other sessions. */
const others: Readonly<Record<string, readonly FakeReply[]>> = {
  CHILD: [{ calls: [pay] }, { text: "The child is done." }],
  HELPER: [{ text: "The helper is done." }],
  BYSTANDER: [{ text: "Done." }],
}

/** Returns what the model answers in a turn of a session with this instruction. */
export const replyOf = (instruction: string, turn: number): FakeReply => {
  const kind = kindNames.find((name) => name === instruction)
  const replies = kind === undefined ? others[instruction] : kindOf(kind).replies
  return replies?.[turn - 1] ?? replies?.at(-1) ?? { text: `nothing is planned for ${instruction}` }
}

/** A session of a kind. Tests share the engine, in which ids are unique. */
export interface Play {
  /** Of a chat, the key of its thread until it has begun. */
  id: string
  readonly kind: KindName
  /** Differs between sessions, so that none finds its settings in the memory of the worker. */
  readonly number: number
  /** Whether it is known which workflow it is. */
  isKnown: boolean
}
