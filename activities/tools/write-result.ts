import type { RunSnapshot } from "../../contracts/run-snapshot.ts"
import type { Store } from "../../store/store.ts"
import { activityFence } from "../run/activity-fence.ts"
import type { RecordActivities } from "../contract/agent-activities.ts"
import { agentMessage } from "./run-result.ts"

/** A person answered for a call of a run without a model: that is the run's result. */
export const createWriteResult =
  (
    store: Pick<Store, "messages">,
    snapshotOf: (hash: string) => Promise<RunSnapshot>,
  ): RecordActivities["writeResult"] =>
  async ({ sessionId, runId, snapshotHash, seq, text }) => {
    const { type } = await snapshotOf(snapshotHash)
    const message = agentMessage(type === "binary" ? "binary" : "mcp-bridge", [{ type: "text", text }])
    await store.messages.put(sessionId, { seq, runId, step: 0, message, fence: activityFence() })
  }
