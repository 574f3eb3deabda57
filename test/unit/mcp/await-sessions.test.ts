import { expect, it } from "vitest"
import { fullAuthority } from "../../../domain/caller/authority.ts"
import type { ClientToolCall, McpContext } from "../../../mcp/mcp-context.ts"
import { writeRoundState } from "../../../mcp/resume/round-state.ts"
import { awaitSessions } from "../../../mcp/tools/await-sessions.ts"
import { httpFixture } from "../http/http-fixture.ts"

it("asks a person again about nothing that they left open in an earlier round", async () => {
  const { client, store, started, pause } = await httpFixture()
  const ids = [await started(), await started()]
  const checkpoints = await Promise.all(ids.map(async (id) => (await pause(id)).checkpointId))
  const context = { client, store, noApprove: false } as unknown as McpContext
  const call: ClientToolCall = {
    ...{ args: {}, signal: new AbortController().signal, progress: undefined, canElicit: true, retries: true },
    ...{ wantsTask: false, inputResponses: {}, requestState: undefined, isRepeated: false },
    actor: { by: "codex", via: "mcp", kind: "model", authority: fullAuthority },
    answerBy: Date.now() + 60_000,
  }
  const keysOf = (index: number): readonly string[] => ["call_1", "call_2"].map((id) => `${checkpoints[index]}/${id}`)
  const dismiss = (keys: readonly string[]) => Object.fromEntries(keys.map((key) => [key, { action: "cancel" }]))
  const askedAgain = async (more: Partial<ClientToolCall>) =>
    await awaitSessions(context, { ...call, ...more }, { ids })

  const first = await askedAgain({})
  if (first.kind !== "ask") throw new Error("nobody is asked")
  expect(Object.keys(first.requests).toSorted()).toEqual([...keysOf(0), ...keysOf(1)].toSorted())
  const second = await askedAgain({
    requestState: writeRoundState(first.state),
    inputResponses: dismiss(keysOf(0)),
  })
  if (second.kind !== "ask") throw new Error("nobody is asked")
  expect(Object.keys(second.requests).toSorted()).toEqual([...keysOf(1)].toSorted())
  const third = await askedAgain({
    requestState: writeRoundState(second.state),
    inputResponses: dismiss(keysOf(1)),
  })
  expect(third).toMatchObject({ kind: "settled", isAskedOut: false })
})
