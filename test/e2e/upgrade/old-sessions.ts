import { z } from "zod"
import { eventually } from "../../helpers/eventually.ts"
import type { SessionsApi, SessionState } from "../../helpers/upgrade/sessions-api.ts"
import { receiverSecret } from "../../helpers/http/webhook-receiver.ts"
import type { UpgradeProject } from "./upgrade-project.ts"

/** Returns how many times the model `held` was called in sessions with this instruction. */
export type ModelCalls = (instruction: string) => number

const linkSchema = z.object({ token: z.string() })

const childOf = async (api: SessionsApi, id: string, status: string): Promise<SessionState> => {
  let children: readonly SessionState[] = []
  const look = async () => {
    children = await api.children(id)
    return children.some((child) => child.status === status)
  }
  await eventually(look).catch((error: unknown) => {
    throw new Error(`no child is ${status} of ${JSON.stringify(children)}`, { cause: error })
  })
  const found = children.find((child) => child.status === status)
  if (found === undefined) throw new Error(`${id} has no child that is ${status}`)
  return found
}

/** Sessions without children that wait for a person, or for the next message. */
const startWaiting = async (api: SessionsApi) => {
  const paused = (message: string, options: Parameters<SessionsApi["start"]>[1] = {}) =>
    api.start(message, options).then(async (id) => (await api.waitForStatus(id, "paused")).id)
  const completed = async (id: string) => (await api.waitForStatus(id, "completed")).id

  const approval = await paused("wait for approval")
  const link = await paused("wait for a link")
  const { checkpoint_id } = await api.session(link)
  const { token } = linkSchema.parse(await api.request("POST", "/v1/approval-links", { checkpoint_id }))

  const halfDecided = await paused("half decided")
  await api.decide(halfDecided, { call_a: "accept", call_b: "reject" })

  const followUp = await paused("queue a follow-up")
  await api.send(followUp, "and then this", { type: "follow_up" })

  return {
    approval,
    link,
    token,
    halfDecided,
    followUp,
    cancelled: await paused("be cancelled"),
    question: await paused("have a question", { pause_on_approval: true }),
    program: await paused("count the words", { agent: "program" }),
    bridge: await paused("hello bridge", { agent: "bridge" }),
    long: await paused("go a long way"),
    ended: await completed(await api.start("end early")),
    threadIdle: await completed(await api.writeInThread("idle", "talk", receiverSecret)),
    threadPaused: (
      await api.waitForStatus(await api.writeInThread("paused", "work in the thread", receiverSecret), "paused")
    ).id,
  }
}

/** Parents that wait for a child, which waits for a person. */
const startParents = async (api: SessionsApi) => {
  const parent = async (message: string, steps: number, agent?: string) => {
    const id = await api.start(message, agent === undefined ? {} : { agent })
    await childOf(api, id, "completed")
    await api.waitUntil(id, ({ steps_taken }) => steps_taken === steps)
    return { id, child: (await childOf(api, id, "paused")).id }
  }
  return {
    reader: await parent("read two parts", 1, "reader"),
    spawner: await parent("spawn two", 2),
    doomed: await parent("spawn to be cancelled", 2),
  }
}

/** Starts sessions that wait, and one whose model was called and does not answer yet. */
export const startResting = async (api: SessionsApi, asked: ModelCalls) => {
  const waiting = await startWaiting(api)
  const parents = await startParents(api)
  const heldTurn = await api.start("wait in a turn", { model: "held" })
  await eventually(() => asked("wait in a turn") > 0)
  return { ...waiting, ...parents, heldTurn }
}

/** Starts sessions in the middle of something: of a batch, of a child's turn, of the queue for a slot. */
export const startMoving = async (api: SessionsApi, project: UpgradeProject, asked: ModelCalls) => {
  const batch = await api.start("run a batch", { auto_approve: true })
  await eventually(async () => (await project.count("during")) === 1)
  const line = await api.start("line up")
  await eventually(() => asked("hold the slot") > 0)
  const queued = await childOf(api, line, "pending")
  const coordinator = await api.start("hand out a task", { agent: "coordinator" })
  await api.waitUntil(coordinator, ({ steps_taken }) => steps_taken === 2)
  const queuedTask = await childOf(api, coordinator, "pending")
  return { batch, line, queued: queued.id, coordinator, queuedTask: queuedTask.id }
}

export type OldSessions = Awaited<ReturnType<typeof startResting>> & Awaited<ReturnType<typeof startMoving>>
