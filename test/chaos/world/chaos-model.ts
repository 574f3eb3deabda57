import { createChatCalls, startChatModel, readWireMessages } from "../../helpers/providers/chat-model.ts"
import { createPartialChatAnswer, createChatText } from "../../helpers/providers/chat-wire.ts"
import type { FakeProvider, FakeReply, RecordedRequest } from "../../helpers/providers/fake-provider-server.ts"
import type { Random } from "../random.ts"

/** What a session of the load does. */
export const itemKinds = ["answer", "ledger", "slow", "tree", "steer", "cancel"] as const
export type ItemKind = (typeof itemKinds)[number]

/** Returns the instruction that makes the model play an item. */
export const instructionOf = (id: string, kind: ItemKind): string => `Play item=${id} kind=${kind}.`

/** Returns the last text of an item's session. */
export const finalTextOf = (id: string): string => `Played ${id}.`

/** Returns a command that takes some seconds and then writes its own line to the ledger. */
const ledgerCommand = (id: string, turn: number, seconds: number): string =>
  `sleep ${seconds}; echo ${id}:${turn} >> ledger`

const script: Readonly<Record<ItemKind, (id: string, turn: number) => FakeReply | undefined>> = {
  answer: () => undefined,
  ledger: (id, turn) =>
    turn === 1 ? createChatCalls(turn, ["Bash", { command: ledgerCommand(id, turn, 0) }]) : undefined,
  slow: (id, turn) =>
    turn <= 2 ? createChatCalls(turn, ["Bash", { command: ledgerCommand(id, turn, 1) }]) : undefined,
  steer: (id, turn) =>
    turn <= 3 ? createChatCalls(turn, ["Bash", { command: ledgerCommand(id, turn, 1) }]) : undefined,
  cancel: (id, turn) =>
    turn === 1
      ? createChatCalls(turn, ["Bash", { command: `: chaos-${id}; sleep 600; echo ${id}:${turn} >> ledger` }])
      : undefined,
  tree: (id, turn) => {
    const spawn = (name: string) => ["sessions_spawn", { task: instructionOf(`${id}.${name}`, "slow") }] as const
    if (turn === 1) return createChatCalls(turn, spawn("a"), spawn("b"))
    return turn === 2 ? createChatCalls(turn, ["sessions_yield", {}]) : undefined
  },
}

const itemOf = (request: RecordedRequest): { readonly id: string; readonly kind: ItemKind } => {
  const text = JSON.stringify(readWireMessages(request).find(({ role }) => role === "user")?.content ?? "")
  const [, id = "", kind = ""] = /item=(\S+) kind=(\w+)\./.exec(text) ?? []
  if (!itemKinds.some((known) => known === kind)) throw new Error(`no item in ${text}`)
  return { id, kind: kind as ItemKind }
}

/**
 * Starts a provider that plays items by the turn of the conversation and fails some first attempts of a turn: by an error status or by a stream that
 * breaks off.
 */
export const startChaosModel = (random: Random): Promise<FakeProvider> => {
  const attempts = new Map<string, number>()
  return startChatModel((turn, request) => {
    const { id, kind } = itemOf(request)
    const attempt = (attempts.get(`${id} ${turn}`) ?? 0) + 1
    attempts.set(`${id} ${turn}`, attempt)
    if (attempt <= 2 && random.chance(0.05)) {
      const failed: FakeReply = { kind: "http", status: 503, body: { error: { message: "overloaded" } } }
      return random.chance(0.5) ? failed : createPartialChatAnswer([{ role: "assistant", content: "Pl" }], 1, "cut")
    }
    return script[kind](id, turn) ?? createChatText(finalTextOf(id))
  })
}
