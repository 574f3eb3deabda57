import { readWireUsers, startChatModel } from "../../helpers/providers/chat-model.ts"
import { createChatAnswer, createChatText } from "../../helpers/providers/chat-wire.ts"
import type { FakeReply, RecordedRequest } from "../../helpers/providers/fake-provider-server.ts"

const questions: readonly string[] = ["How far?", "/stop the press", "/list"]
const spawnCall = (task: string, index: number) => ({
  index,
  id: `call_${task}`,
  type: "function",
  function: { name: "sessions_spawn", arguments: JSON.stringify({ task: `Work on ${task}`, label: task }) },
})

/** Starts two sub-agents in its first turn, and says in each later one what it has received. */
const lead = (turn: number, tasks: readonly string[], news: readonly string[]): FakeReply => {
  if (turn === 1)
    return createChatAnswer([{ role: "assistant", content: "On it." }, { tool_calls: tasks.map(spawnCall) }], {
      finishReason: "tool_calls",
    })
  const results = tasks.filter((task) => news.some((text) => text.includes(`result of ${task}`)))
  const asked = news.filter((text) => questions.includes(text)).map((text) => `asked ${text}`)
  return createChatText(
    results.length + asked.length === 0
      ? "Started, I will report back."
      : [`Have: ${results.join(" ")}`, ...asked].join(", "),
  )
}

/** Starts a model for agents that are asked to `do <task> and <task>`, and for their sub-agents, which end when the test says so. */
export const startTeam = async () => {
  const ends = new Map<string, PromiseWithResolvers<void>>()
  let teams = 0
  const respond = async (turn: number, request: RecordedRequest): Promise<FakeReply> => {
    const [first = "", ...news] = readWireUsers(request)
    const [, ...tasks] = /^Please do (\w+) and (\w+)\.$/.exec(first) ?? []
    if (tasks.length > 0) return lead(turn, tasks, news)
    const task = first.replace("Work on ", "")
    const end = ends.get(task) ?? Promise.withResolvers<void>()
    ends.set(task, end)
    await end.promise
    return createChatText(`result of ${task}`)
  }
  const { url, close } = await startChatModel(respond)
  return {
    url,
    close,
    /** Returns two tasks that nobody has. */
    nextTasks: (): readonly [string, string] => [`first${(teams += 1)}`, `second${teams}`],
    /** Whether the sub-agents of all these tasks work. */
    haveBegun: (...tasks: readonly string[]): boolean => tasks.every((task) => ends.has(task)),
    end: (task: string): void => ends.get(task)?.resolve(),
  }
}
