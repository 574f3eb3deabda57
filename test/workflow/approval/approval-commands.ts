import fc from "fast-check"
import { expect } from "vitest"
import type { StartRequest } from "../../../sessions/start-request.ts"
import { isAdjutantError } from "../../../contracts/adjutant-error.ts"
import { isFinal } from "../../../domain/run/is-final.ts"
import type { SessionRow } from "../../../store/store.ts"
import { eventually } from "../../helpers/eventually.ts"
import type { FakeReply } from "../../helpers/models/fake-model.ts"
import { orRefused, sessionsOf, settle } from "../limits/limits-rig.ts"
import { type ApprovalRig, type CallerName, callers, hasReadMark, mark } from "./approval-rig.ts"

interface Model {
  sessions: number
}

type Command = fc.AsyncCommand<Model, ApprovalRig>

/**
 * Expects that no call that needs approval by policy ran without it after its model had read a text of the
 * runner.
 */
export const expectNoneUnasked = (rig: ApprovalRig): void => {
  const unasked = [...rig.executed].filter((name) => {
    const call = rig.proposed.get(name)
    return call === undefined || (call.isMarked && !rig.approved.has(name))
  })
  expect(unasked).toEqual([])
}

const look = async (rig: ApprovalRig): Promise<void> => {
  await settle(rig)
  expectNoneUnasked(rig)
}

/** Lets every waiting model propose a call that needs approval by policy. */
const mutateEverywhere = async (rig: ApprovalRig): Promise<void> => {
  for (const row of await sessionsOf(rig)) {
    if (!rig.model.isWaiting(row.id)) continue
    const name = `change-${rig.proposed.size + 1}`
    rig.proposed.set(name, { sessionId: row.id, isMarked: await hasReadMark(rig, row) })
    rig.model.reply(row.id, { calls: [["Mutate", { name }]] })
  }
}

interface Action<Arguments> {
  readonly name: string
  readonly isFit: (row: SessionRow, rig: ApprovalRig) => boolean
  readonly act: (rig: ApprovalRig, row: SessionRow, sample: Arguments) => Promise<unknown>
}

const onSession = <Arguments>(
  { name, isFit, act }: Action<Arguments>,
  samples: fc.Arbitrary<Arguments>,
): fc.Arbitrary<Command> =>
  fc.record({ at: fc.nat({ max: 50 }), sample: samples, mutates: fc.boolean() }).map(({ at, sample, mutates }) => ({
    check: () => true,
    run: async (_, rig) => {
      const fit = (await sessionsOf(rig)).filter((row) => isFit(row, rig))
      const row = fit[at % Math.max(1, fit.length)]
      if (row === undefined) return
      await act(rig, row, sample)
      await look(rig)
      if (mutates) await mutateEverywhere(rig)
      await look(rig)
    },
    toString: () => `${name}(#${at}, ${JSON.stringify(sample)})`,
  }))

const isWaiting = (row: SessionRow, rig: ApprovalRig): boolean => rig.model.isWaiting(row.id)
const isOpen = (row: SessionRow): boolean => row.runId !== null && !isFinal(row.status)
const nothing = fc.constant(null)
const caller: fc.Arbitrary<CallerName> = fc.constantFrom("approver", "runner")
const mostlyRunner: fc.Arbitrary<CallerName> = fc.constantFrom("approver", "runner", "runner", "runner")

const textOf = (by: CallerName, text: string): string => (by === "runner" ? `${text} ${mark}` : text)

const says = <Arguments>(
  name: string,
  samples: fc.Arbitrary<Arguments>,
  reply: (at: { rig: ApprovalRig; row: SessionRow; sample: Arguments; text: string }) => Promise<FakeReply> | FakeReply,
) =>
  onSession<Arguments>(
    {
      name,
      isFit: isWaiting,
      act: async (rig, row, sample) => {
        const text = (await hasReadMark(rig, row)) ? `so it is ${mark}` : "so it is"
        rig.model.reply(row.id, await reply({ rig, row, sample, text }))
      },
    },
    samples,
  )

const talk = says("talks", nothing, ({ text }) => ({ text }))
const finish = says("finishes", nothing, ({ text }) => ({ calls: [["finish", { result: text }]] }))
const work = says("works", nothing, () => ({ calls: [["LS", {}]] }))

const spawn = says("spawns", fc.constantFrom("general", "tasker", "explore"), ({ text, sample: agentId }) => ({
  calls: [["sessions_spawn", { task: text, agentId }]],
}))

const handOut = says("hands out", nothing, ({ text }) => ({
  calls: [["dynamic_subagent_task", { description: "task", instructions: text, tools: ["Mutate", "LS"] }]],
}))

const childIdOf = async (rig: ApprovalRig, row: SessionRow, index: number): Promise<string> => {
  const children = (await sessionsOf(rig)).filter(({ parentId }) => parentId === row.id)
  return children[index % Math.max(1, children.length)]?.id ?? "none"
}

const tellChild = says(
  "informs its child",
  fc.record({ index: fc.nat({ max: 3 }), action: fc.constantFrom("send", "steer", "log", "wait", "resume") }),
  async ({ rig, row, sample: { index, action }, text }) => {
    const target = await childIdOf(rig, row, index)
    if (action === "resume")
      return { calls: [["resume_subagent_task", { task_id: target, input: text, approve_all: undefined }]] }
    const message = action === "send" || action === "steer" ? { message: text } : {}
    return { calls: [["subagents", { action, target, ...message, timeoutSeconds: 1 }]] }
  },
)

const approvals = fc.constantFrom<NonNullable<StartRequest["auto_approve"]>>(true, true, true, false, ["Mutate"])

export const startRequests = fc.record({
  by: caller,
  auto_approve: approvals,
  pause_on_approval: fc.boolean(),
  agent: fc.constantFrom("general", "tasker"),
})
type StartArguments = typeof startRequests extends fc.Arbitrary<infer Arguments> ? Arguments : never

export const startSession = async (rig: ApprovalRig, { by, auto_approve, ...rest }: StartArguments): Promise<void> => {
  const request = { prompt: textOf(by, "Begin."), cwd: rig.cwd, actor: callers[by], auto_approve, ...rest }
  const started = await orRefused(rig.client.start(request))
  if (!isAdjutantError(started)) {
    if (auto_approve === true) rig.free.add(started.sessionId)
    return
  }
  expect([by, started.code]).toEqual(["runner", "forbidden"])
  await rig.client.start({ ...request, auto_approve: false })
}

const start: fc.Arbitrary<Command> = startRequests.map((sample) => ({
  check: ({ sessions }) => sessions < 3,
  run: async (model, rig) => {
    model.sessions += 1
    await startSession(rig, sample)
    await look(rig)
    await mutateEverywhere(rig)
    await look(rig)
  },
  toString: () => `start(${JSON.stringify(sample)})`,
}))

const refusals = ["limit_widened", "session_already_running", "session_not_running", "forbidden", "checkpoint_stale"]

const send = onSession(
  {
    name: "send",
    isFit: ({ runId }) => runId !== null,
    act: async (rig, row, { by, steers, bySignal, auto_approve }) => {
      const type = steers && isOpen(row) ? "steering" : "follow_up"
      const sent = await orRefused(
        rig.client.send({
          sessionId: row.id,
          text: textOf(by, "And now?"),
          type,
          ...(bySignal ? { delivery: "signal" as const } : {}),
          ...(auto_approve === undefined ? {} : { limits: { auto_approve } }),
          actor: callers[by],
        }),
      )
      if (isAdjutantError(sent)) return expect(refusals).toContain(sent.code)
      await look(rig)
      return await mutateEverywhere(rig)
    },
  },
  fc.record({
    by: mostlyRunner,
    steers: fc.boolean(),
    bySignal: fc.boolean(),
    auto_approve: fc.constantFrom(undefined, undefined, undefined, true, false),
  }),
)

/** A queued message is read after the run before it has ended. */
const talkToTheEnd = onSession<null>(
  {
    name: "talks to the end",
    isFit: isWaiting,
    act: async (rig, row) => {
      const isMarked = await hasReadMark(rig, row)
      rig.model.reply(row.id, { text: isMarked ? `that is that ${mark}` : "that is that" }, 2)
    },
  },
  nothing,
)

const decide = onSession(
  {
    name: "decide",
    isFit: ({ status }) => status === "paused",
    act: async (rig, row, { by, accepts }) => {
      const pause = await rig.store.pauses.current(row.id)
      if (pause === undefined) return
      const at = { sessionId: row.id, checkpointId: pause.checkpointId, actor: callers[by] }
      if (pause.type === "input_required")
        await orRefused(rig.client.send({ ...at, text: textOf(by, "This one."), type: "message" }))
      else {
        const names = pause.calls.flatMap(({ arguments: { name } }) => (typeof name === "string" ? [name] : []))
        if (accepts && by === "approver") for (const name of names) rig.approved.add(name)
        const all = { action: accepts ? ("accept" as const) : ("reject" as const) }
        const sent = await orRefused(rig.client.decide({ ...at, all, unlisted: "pending" }))
        if (isAdjutantError(sent)) return
      }
      await eventually(async () => (await rig.store.pauses.current(row.id))?.checkpointId !== pause.checkpointId)
    },
  },
  fc.record({ by: caller, accepts: fc.boolean() }),
)

const fork = onSession(
  {
    name: "fork",
    isFit: ({ runId }) => runId !== null,
    act: async (rig, row, { by, next, atStep }) => {
      const forked = await orRefused(rig.client.fork({ sessionId: row.id, atStep, actor: callers[by] }))
      if (isAdjutantError(forked)) return
      const text = textOf(next, "Continue from here.")
      await rig.client.send({ sessionId: forked.id, text, type: "message", actor: callers[next] })
    },
  },
  fc.record({ by: caller, next: caller, atStep: fc.nat({ max: 3 }) }),
)

const create = onSession(
  {
    name: "create below",
    isFit: ({ runId }) => runId !== null,
    act: async (rig, row, { by, auto_approve }) => {
      const made = await orRefused(rig.client.create({ parentId: row.id, cwd: rig.cwd, actor: callers[by] }))
      if (isAdjutantError(made)) return
      const text = textOf(by, "Begin below.")
      const message = { sessionId: made.id, text, type: "message" as const, actor: callers[by] }
      const sent = await orRefused(rig.client.send({ ...message, limits: { auto_approve } }))
      if (isAdjutantError(sent)) await rig.client.send(message)
    },
  },
  fc.record({ by: caller, auto_approve: approvals }),
)

const cancel = onSession<null>(
  {
    name: "cancel",
    isFit: isOpen,
    act: async (rig, row) => {
      await rig.client.cancel(row.id, callers.runner)
      await settle(rig)
      // Another test covers messages between a cancelled run's record and the end of its execution.
      for (const { id, status } of await sessionsOf(rig))
        if (status === "cancelled")
          await eventually(async () => (await rig.handle(id).describe()).status.name !== "RUNNING")
    },
  },
  nothing,
)

export const approvalCommands: fc.Arbitrary<Command>[] = [
  start,
  work,
  talk,
  talkToTheEnd,
  finish,
  spawn,
  spawn,
  handOut,
  tellChild,
  tellChild,
  send,
  send,
  send,
  send,
  decide,
  decide,
  decide,
  fork,
  create,
  cancel,
]
