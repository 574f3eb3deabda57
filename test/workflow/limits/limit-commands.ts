import fc from "fast-check"
import { expect } from "vitest"
import { isAdjutantError } from "../../../contracts/adjutant-error.ts"
import { isFinal } from "../../../domain/run/is-final.ts"
import type { SessionRow } from "../../../store/store.ts"
import { eventually } from "../../helpers/eventually.ts"
import type { FakeReply } from "../../helpers/models/fake-model.ts"
import { expectLimitsHold } from "./expect-limits-hold.ts"
import { lessLimits, limits, models, startRequests, toolLists } from "./limit-samples.ts"
import { actor, orRefused, type Rig, sessionsOf, settle } from "./limits-rig.ts"

/** Which suitable session a command is for, and what it does there. */
interface Action<Arguments> {
  readonly name: string
  readonly isFit: (row: SessionRow, rig: Rig) => boolean
  readonly act: (rig: Rig, row: SessionRow, sample: Arguments) => Promise<unknown>
}

interface Model {
  sessions: number
}

type Command = fc.AsyncCommand<Model, Rig>

/** After every command, everything in the store and in the engine is checked. */
const look = async (rig: Rig): Promise<void> => {
  await settle(rig)
  await expectLimitsHold(rig)
}

const onSession = <Arguments>(action: Action<Arguments>, samples: fc.Arbitrary<Arguments>): fc.Arbitrary<Command> =>
  fc.record({ at: fc.nat({ max: 50 }), sample: samples }).map(({ at, sample }) => ({
    check: ({ sessions }) => sessions > 0,
    run: async (_, rig) => {
      const fit = (await sessionsOf(rig)).filter((row) => action.isFit(row, rig))
      const row = fit[at % Math.max(1, fit.length)]
      if (row === undefined) return
      await action.act(rig, row, sample)
      await look(rig)
    },
    toString: () => `${action.name}(#${at}, ${JSON.stringify(sample)})`,
  }))

const start: fc.Arbitrary<Command> = startRequests.map((request) => ({
  check: ({ sessions }) => sessions < 3,
  run: async (model, rig) => {
    model.sessions += 1
    await rig.start(request)
    await look(rig)
  },
  toString: () => `start(${JSON.stringify(request)})`,
}))

const isWaiting = (row: SessionRow, rig: Rig): boolean => rig.model.isWaiting(row.id)
const isOpen = (row: SessionRow): boolean => row.runId !== null && !isFinal(row.status)

const says = <Arguments>(
  name: string,
  samples: fc.Arbitrary<Arguments>,
  reply: (sample: Arguments) => FakeReply,
  times = 1,
) =>
  onSession<Arguments>(
    { name, isFit: isWaiting, act: async (rig, row, sample) => rig.model.reply(row.id, reply(sample), times) },
    samples,
  )

const nothing = fc.constant(null)

const spawnSession = says(
  "spawns",
  fc.record(
    {
      agentId: fc.constantFrom("general", "wide", "tasker", "explore"),
      model: models,
      runTimeoutSeconds: fc.constantFrom(0, 60, 99_999),
      sandbox: fc.constantFrom("inherit", "require"),
    },
    { requiredKeys: [] },
  ),
  (sample) => ({ calls: [["sessions_spawn", { task: "child", ...sample }]] }),
)

const spawnTask = says(
  "hands out",
  fc.record({
    tools: toolLists,
    max_steps: fc.integer({ min: 1, max: 256 }),
  }),
  (sample) => ({ calls: [["dynamic_subagent_task", { description: "task", instructions: "child", ...sample }]] }),
)

/** Long enough to continue as new. */
const work = says("works", nothing, () => ({ calls: [["LS", {}]] }), 6)

const talk = says("talks", nothing, () => ({ text: "That is that." }))

const decideOn = async (rig: Rig, row: SessionRow, accepts: boolean): Promise<void> => {
  const pause = await rig.store.pauses.current(row.id)
  if (pause === undefined) return
  const at = { sessionId: row.id, checkpointId: pause.checkpointId, actor }
  if (pause.type === "input_required") await orRefused(rig.client.send({ ...at, text: "Continue.", type: "message" }))
  else {
    if (accepts) for (const { id } of pause.calls) rig.approved.add(`${row.id} ${id}`)
    const all = accepts ? ({ action: "accept" } as const) : ({ action: "reject" } as const)
    await orRefused(rig.client.decide({ ...at, all, unlisted: "pending" }))
  }
  await eventually(async () => (await rig.store.pauses.current(row.id))?.checkpointId !== pause.checkpointId)
}

const decide = onSession<boolean>(
  { name: "decide", isFit: ({ status }) => status === "paused", act: decideOn },
  fc.boolean(),
)

const writing: FakeReply = {
  calls: [
    ["Write", { file_path: "a.txt", content: "a" }],
    ["Edit", { file_path: "a.txt", old_string: "a", new_string: "b" }],
    ["Bash", { command: "true" }],
  ],
}

/** The disposition is shown, and perhaps decided at once. */
const write = onSession<boolean | null>(
  {
    name: "writes",
    isFit: isWaiting,
    act: async (rig, row, accepts) => {
      rig.model.reply(row.id, writing)
      await settle(rig)
      await expectLimitsHold(rig)
      if (accepts !== null) await decideOn(rig, row, accepts)
    },
  },
  fc.option(fc.boolean()),
)

const steer = onSession<null>(
  {
    name: "steer",
    isFit: isOpen,
    act: (rig, row) => orRefused(rig.client.send({ sessionId: row.id, text: "Rather so.", type: "steering", actor })),
  },
  nothing,
)

/**
 * Several messages queue behind each other while the session is running; `ends`: its runs then end one after
 * another.
 */
const followUp = onSession(
  {
    name: "follow up",
    isFit: (row) => row.runId !== null,
    act: async (rig, row, { messages, bySignal, ends }) => {
      for (const named of messages) {
        const sent = await orRefused(
          rig.client.send({
            sessionId: row.id,
            text: "And then?",
            type: "follow_up",
            limits: named,
            ...(bySignal ? { delivery: "signal" as const } : {}),
            actor,
          }),
        )
        // The store may show a pause a moment longer than it lasts.
        const codes = ["limit_widened", "session_already_running", "checkpoint_stale"]
        if (isAdjutantError(sent)) expect(codes).toContain(sent.code)
      }
      if (ends) rig.model.reply(row.id, { text: "That is that." }, messages.length + 1)
    },
  },
  fc.record({
    messages: fc.array(fc.oneof(limits, lessLimits, lessLimits), { minLength: 1, maxLength: 3 }),
    bySignal: fc.boolean(),
    ends: fc.boolean(),
  }),
)

const setModel = onSession<string>(
  {
    name: "set model",
    isFit: (row) => row.runId !== null,
    act: (rig, row, name) => orRefused(rig.client.setModel(row.id, name, actor)),
  },
  models,
)

const fork = onSession<number>(
  {
    name: "fork",
    isFit: (row) => row.runId !== null,
    act: async (rig, row, atStep) => {
      const forked = await orRefused(rig.client.fork({ sessionId: row.id, atStep, actor }))
      if (!isAdjutantError(forked))
        await rig.client.send({ sessionId: forked.id, text: "Continue from here.", type: "message", actor })
    },
  },
  fc.nat({ max: 3 }),
)

const create = onSession(
  {
    name: "create below",
    isFit: (row) => row.runId !== null,
    act: async (rig, row, { agent, named }) => {
      const made = await orRefused(rig.client.create({ parentId: row.id, agent, cwd: rig.cwd, actor }))
      if (!isAdjutantError(made))
        await orRefused(rig.client.send({ sessionId: made.id, text: "Begin.", type: "message", limits: named, actor }))
    },
  },
  fc.record({ agent: fc.constantFrom("general", "wide", "tasker"), named: limits }),
)

const cancel = onSession<null>(
  {
    name: "cancel",
    isFit: isOpen,
    act: async (rig, row) => {
      await rig.client.cancel(row.id, actor)
      rig.cancelled.set(row.id, row.runId)
    },
  },
  nothing,
)

export const limitCommands: fc.Arbitrary<Command>[] = [
  start,
  spawnSession,
  spawnSession,
  spawnTask,
  work,
  write,
  write,
  talk,
  decide,
  steer,
  followUp,
  followUp,
  setModel,
  fork,
  create,
  cancel,
]
