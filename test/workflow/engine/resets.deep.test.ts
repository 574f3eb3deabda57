import { randomUUID } from "node:crypto"
import { expect, inject, it } from "vitest"
import { openStage, type Stage } from "../../helpers/history/play-story.ts"

// A person resets the workflow of a session that has ended, to each point of its past in turn. It ends again: what had run does not run twice, and no
// message is lost.

/** One point out of so many; `ADJUTANT_EVERY=1` takes each of them. */
const every = Number(process.env["ADJUTANT_EVERY"] ?? 3)

/** Resets the session's workflow to the end of its n-th workflow task, from 1; undefined if it has not so many. Returns the new execution. */
const reset = async ({ harness }: Stage, sessionId: string, n: number): Promise<string | undefined> => {
  const { workflowId } = harness.handle(sessionId)
  const { runId } = await harness.handle(sessionId).describe()
  const events = (await harness.handle(sessionId).fetchHistory()).events ?? []
  const ends = events.filter((event) => event.workflowTaskCompletedEventAttributes != null)
  const to = ends[n - 1]?.eventId
  if (to == null) return undefined
  const { runId: next } = await harness.temporal.workflowService.resetWorkflowExecution({
    namespace: "default",
    workflowExecution: { workflowId, runId },
    workflowTaskFinishEventId: to,
    requestId: randomUUID(),
    reason: "a test",
  })
  return next ?? undefined
}

it("a story that is reset to any point of its past ends again, and no call runs twice", async () => {
  await using stage = await openStage({
    ...{ address: inject("temporalAddress"), storeUrl: "sqlite:", reconcileEverySeconds: 2 },
  })
  const { play, decideUntil, problemsOf, harness, effects } = stage
  const problems: string[] = []
  let resets = 0
  for (let point = 1; ; point += every) {
    const prompt = `STORY ${point}`
    const { sessionId, told } = await play(prompt)
    const done = () => effects.filter(({ key }) => key.split(",")[0] === prompt)
    const before = done()
    const execution = await reset(stage, sessionId, point)
    if (execution === undefined) break
    resets += 1
    const handle = harness.temporal.workflow.getHandle(harness.handle(sessionId).workflowId, execution)
    const again = await decideUntil(sessionId, async () => (await handle.describe()).status.name !== "RUNNING").catch(
      (error: unknown) => String(error),
    )
    if (typeof again === "string") {
      problems.push(`point ${point}: ${again}`)
      continue
    }
    expect((await handle.describe()).status.name).toBe("COMPLETED")
    // Steering that comes earlier this time can let a call run that it made void before; the checker finds a call that ran twice.
    expect(done()).toEqual(expect.arrayContaining([...before]))
    const whole = { sessionId, told: { ...told, decisions: [...told.decisions, ...again] } }
    const found = await problemsOf(whole, harness.store)
    problems.push(...found.map((problem) => `point ${point}: ${problem}`))
  }
  console.log(`${resets} resets`)
  expect(resets).toBeGreaterThan(0)
  expect(problems).toEqual([])
}, 900_000)
