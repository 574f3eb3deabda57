import { randomUUID } from "node:crypto"
import { expect, it, onTestFinished } from "vitest"
import type { ReconcilePass } from "../../../domain/engine/reconcile-pass.ts"
import { eventually } from "../../helpers/eventually.ts"
import { openHarness } from "../../helpers/engine/workflow-harness.ts"
import { receiverSecret, startReceiver } from "../../helpers/http/webhook-receiver.ts"
import { createFakeTurns } from "../../helpers/models/fake-model.ts"
import { createAwayStore, type Failure, type StoreCall } from "../../helpers/store/away-store.ts"

/** More failures than a job of the reconciler has tries in a pass. */
const timesInARow = 3
/** A pass of the worker itself can come before that of the test, which has nothing to do then. */
const spare = 3
/** This only stops a hang. */
const patience = { timeoutMs: 240_000 }
const passPrefix = "reconcile-boundary/"

/** Returns the decisions: the calls of one method fail in a pass of the test. */
const createFailures = (failure: Failure) => {
  const methods = new Set<string>()
  let failing: string | undefined
  let failed = 0
  return {
    methods,
    decide: ({ activity, workflowId, method }: StoreCall): Failure => {
      if (activity !== "reconcileSessions" || !workflowId.startsWith(passPrefix)) return undefined
      methods.add(method)
      if (method !== failing || failed === timesInARow) return undefined
      failed += 1
      return failure
    },
    /** Does work while a method fails. Returns how often it failed. */
    while: async (method: string | undefined, work: () => Promise<unknown>): Promise<number> => {
      failing = method
      failed = 0
      await work()
      failing = undefined
      return failed
    },
  }
}

it.each(["before", "after"] as const)(
  "a store that is away, %s the call takes effect, at any one call of the reconciler loses no outcome",
  async (failure) => {
    const failures = createFailures(failure)
    const receiver = await startReceiver()
    const harness = await openHarness({
      model: createFakeTurns({ text: "Which colour?" }),
      env: { HOOK_SECRET: receiverSecret },
      config: {
        timing: { reconcileSeconds: 86_400, deliveryInitialMs: 10 },
        webhooks: [{ url: receiver.url, secretEnv: "HOOK_SECRET", events: ["run-finished"] }],
      },
      workerStore: (store) => createAwayStore(store, failures.decide),
    })
    onTestFinished(() => harness.close())
    const statusOf = async (id: string) => (await harness.store.sessions.get(id))?.status
    const startPaused = async (count: number): Promise<readonly string[]> => {
      const ids = await Promise.all(Array.from({ length: count }, () => harness.start({ pause_on_approval: true })))
      await eventually(async () => (await Promise.all(ids.map(statusOf))).every((status) => status === "paused"))
      return ids
    }
    const pass = (): Promise<ReconcilePass> =>
      harness.temporal.workflow.execute("reconcile", {
        taskQueue: harness.taskQueue,
        workflowId: `${passPrefix}${randomUUID()}`,
      })
    /** Ends a session without its code, has a pass in which a method fails, and another one. Returns how often it failed. */
    const mendDespite = async (id: string, method?: string): Promise<number> => {
      await harness.handle(id).terminate()
      const failed = await failures.while(method, pass)
      await pass()
      expect(await harness.store.sessions.get(id)).toMatchObject({ status: "failed", stopReason: "terminated" })
      expect(await harness.store.pauses.current(id)).toBeUndefined()
      return failed
    }

    const [first = "", bystander = ""] = await startPaused(2)
    await mendDespite(first)
    const methods = [...failures.methods]
    expect(methods.length).toBeGreaterThan(5)
    const ids = await startPaused(methods.length + spare)
    const left = [...methods]
    for (const id of ids) {
      const method = left.shift()
      if ((await mendDespite(id, method)) === 0 && method !== undefined) left.push(method)
    }
    expect(left).toEqual([])

    expect(await statusOf(bystander)).toBe("paused")
    const told = () => receiver.effects.map(({ body }) => String(body.session.id)).toSorted()
    await eventually(() => told().length > ids.length, patience)
    expect(told()).toEqual([first, ...ids].toSorted())
  },
)
