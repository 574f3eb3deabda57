import type { Message } from "../../../contracts/message.ts"
import type { StoreOptions } from "../../../store/open-store.ts"
import { pendingCall } from "../../helpers/pending-call.ts"
import type { NewEvent, NewSession, PauseRow, Store, UsageEntry } from "../../../store/store.ts"
import { openTestStore } from "../../helpers/store/store-under-test.ts"

export {
  createStoreLocation,
  testEachDatabase,
  openTestStore,
  createTemporaryFolder,
} from "../../helpers/store/store-under-test.ts"

export const newSession = (id: string, change: Partial<NewSession> = {}): NewSession => ({
  id,
  sessionKey: `agent:general:main:${id}`,
  title: null,
  agent: "general",
  model: "demo",
  parentId: null,
  rootId: id,
  depth: 0,
  cwd: "/srv/project",
  label: null,
  metadata: {},
  ...change,
})

/** Creates a store with one session, `s1`. */
export const storeWithSession = async (options: Partial<StoreOptions> = {}): Promise<Store> => {
  const store = await openTestStore(options)
  await store.sessions.create(newSession("s1"))
  return store
}

export const userMessage = (text: string): Message => ({ role: "user", source: "input", text })

type Parts = Extract<Message, { role: "assistant" }>["parts"]

export const assistantMessage = (text: string, reasoning = "", more: Parts = []): Message => ({
  role: "assistant",
  provider: "scripted",
  model: "demo",
  parts: [{ type: "reasoning", text: reasoning }, { type: "text", text }, ...more],
  usage: { inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 },
  stop: "end_turn",
})

export const messageRow = (seq: number, text: string, fence = 1) => ({
  seq,
  runId: "r1",
  step: 1,
  message: userMessage(text),
  fence,
})

export const event = (data: Record<string, unknown> = {}, ordinal?: number): NewEvent => ({
  type: "step-started",
  runId: "r1",
  data,
  ...(ordinal === undefined ? {} : { ordinal }),
})

export const textDelta = (text: string, seq = 1, attempt = 1): NewEvent => ({
  type: "text-delta",
  runId: "r1",
  data: { seq, attempt, text },
})

export const newPause = (
  checkpointId: string,
  change: Partial<PauseRow> = {},
): Omit<PauseRow, "openedAt" | "closedAt"> => ({
  checkpointId,
  sessionId: "s1",
  runId: "r1",
  ordinal: 1,
  type: "tool_approval_required",
  calls: [
    pendingCall({ id: "c1", name: "Bash", arguments: { command: "ls" } }),
    pendingCall({ id: "c2", name: "Write", arguments: { file_path: "a" } }),
  ],
  message: "May I?",
  ...change,
})

export const usageEntry = (change: Partial<UsageEntry> = {}): UsageEntry => ({
  sessionId: "s1",
  runId: "r1",
  step: 1,
  fence: 1,
  model: "demo",
  inputTokens: 10,
  outputTokens: 5,
  cacheReadTokens: 2,
  cacheWriteTokens: 1,
  reasoningTokens: 3,
  costMicroUsd: 100,
  ...change,
})
