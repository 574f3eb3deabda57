import { expect, test } from "vitest"
import type { Message } from "../../../../contracts/message.ts"
import { createRedact } from "../../../../domain/text/redact.ts"
import { searchSessions } from "../../../../sessions/view/search-sessions.ts"
import type { NewSession, Store } from "../../../../store/store.ts"
import {
  assistantMessage,
  newSession,
  openTestStore,
  testEachDatabase,
  userMessage,
} from "../../store/store-fixture.ts"

const callOf = (id: string, name: string, args: Record<string, unknown>): Message =>
  assistantMessage("", "", [{ type: "tool_call", call: { id, name, arguments: args } }])

const resultOf = (id: string, name: string, content: string): Message => ({
  ...{ role: "tool", call_id: id, name, outcome: "ok", content },
})

const addSession = async (
  store: Store,
  id: string,
  { messages = [], ...session }: Partial<NewSession> & { readonly messages?: readonly Message[] },
): Promise<void> => {
  await store.sessions.create(newSession(id, session))
  await store.runs.create({ runId: `run_${id}`, sessionId: id, snapshotHash: "none" })
  await store.messages.putAll(
    id,
    messages.map((message, index) => ({ seq: index + 1, runId: `run_${id}`, step: 1, message, fence: 1 })),
  )
  await store.sessions.patch(id, { headSeq: messages.length })
}

const context = (store: Store, secrets: readonly string[] = []) => ({ store, redact: createRedact(secrets) })

const found = async (store: Store, q: string, secrets: readonly string[] = []) =>
  (await searchSessions(context(store, secrets), { q })).items.map(({ session_id: id, kind, seq, call_id: callId }) => [
    ...[id, kind, seq, callId],
  ])

testEachDatabase(() => {
  test("a text is found in names, messages, arguments and results, with the row and the call", async () => {
    const store = await openTestStore()
    await addSession(store, "aaa", {
      title: "Look after Kubernetes",
      messages: [
        userMessage("Use kubectl."),
        callOf("c1", "Bash", { command: 'kubectl get "pods" \\\n -n 100%_prod' }),
        resultOf("c1", "Bash", "pod/web   Running"),
      ],
    })
    await addSession(store, "bbb", { label: "kubectl-docs", messages: [userMessage("Nothing.")] })
    expect(await found(store, "KUBECTL")).toEqual([
      ["bbb", "name", null, null],
      ["aaa", "call", 2, "c1"],
      ["aaa", "text", 1, null],
    ])
    expect(await found(store, 'get "pods" \\')).toEqual([["aaa", "call", 2, "c1"]])
    expect(await found(store, "100%_")).toEqual([["aaa", "call", 2, "c1"]])
    expect(await found(store, "pod/web")).toEqual([["aaa", "result", 3, "c1"]])
    expect((await searchSessions(context(store), { q: "pod/web" })).items[0]).toMatchObject({
      ...{ tool: "Bash", excerpt: "pod/web Running", title: "Look after Kubernetes" },
    })
  })

  test("the same lines in several results of a session are one place", async () => {
    const store = await openTestStore()
    const listed = [1, 2, 3, 4].map((index) => resultOf(`c${index}`, "LS", "src\nnotes.md"))
    await addSession(store, "aaa", { messages: [...listed, userMessage("Read notes.md, please.")] })
    expect(await found(store, "notes.md")).toEqual([
      ["aaa", "text", 5, null],
      ["aaa", "result", 4, "c4"],
    ])
  })

  test("what only the form of a row contains is not found", async () => {
    const store = await openTestStore()
    await addSession(store, "aaa", { messages: [userMessage("Hello."), assistantMessage("Hello.")] })
    for (const q of ["role", "cacheReadTokens", "100x"]) expect(await found(store, q)).toEqual([])
  })

  test("the session that changed a file is found by a part of its path", async () => {
    const store = await openTestStore()
    await addSession(store, "aaa", {})
    await store.touchedFiles.put("aaa", { path: "src/billing/invoice.ts", written: "hash" })
    await store.touchedFiles.put("aaa", { path: "src/billing/read-only.ts", seen: "hash" })
    expect(await found(store, "billing/")).toEqual([["aaa", "file", null, null]])
  })

  test("a secret is neither shown nor found", async () => {
    const store = await openTestStore()
    await addSession(store, "aaa", { messages: [userMessage("The key is hunter22, do not tell.")] })
    expect(await found(store, "hunter2", ["hunter22"])).toEqual([])
    const { items } = await searchSessions(context(store, ["hunter22"]), { q: "do not tell" })
    expect(items[0]?.excerpt).toBe("The key is [redacted], do not tell.")
  })

  test("a search ends at its bounds, and says so", async () => {
    const store = await openTestStore()
    for (const id of ["aaa", "bbb", "ccc"]) await addSession(store, id, { messages: [userMessage("needle")] })
    const within = async (bounds: { sessions: number; ms: number }, limit?: number) => {
      const { items, is_complete: isComplete } = await searchSessions(context(store), { q: "needle", limit }, bounds)
      return [items.length, isComplete]
    }
    expect(await within({ sessions: 3, ms: 60_000 })).toEqual([3, true])
    expect(await within({ sessions: 2, ms: 60_000 })).toEqual([2, false])
    expect(await within({ sessions: 3, ms: 0 })).toEqual([0, false])
    expect(await within({ sessions: 3, ms: 60_000 }, 2)).toEqual([2, false])
  })
})
