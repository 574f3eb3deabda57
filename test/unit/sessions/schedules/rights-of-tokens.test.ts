import { expect, it } from "vitest"
import { type ConfigInput, configSchema } from "../../../../contracts/config/config.ts"
import { scheduleSchema } from "../../../../contracts/config/schedules.ts"
import { type Authority, narrowAuthority } from "../../../../domain/caller/authority.ts"
import { builtInCallers } from "../../../../domain/caller/caller-id.ts"
import { signSchedule } from "../../../../sessions/schedules/sign-schedule.ts"
import { clientFixture, loaded } from "../../client/client-fixture.ts"

type Token = NonNullable<NonNullable<ConfigInput["http"]>["tokens"]>[number]

const everything: Authority = { approval: "all", directories: "any" }

/** Starts the task of a schedule that a token has added with every right, where the configuration has these tokens now. Returns its rights. */
const startWith = async (tokens: readonly Token[], id = "ops"): Promise<Authority | undefined> => {
  const config = configSchema.parse({ http: { tokens, workspaces: ["/srv/work"] } })
  let authority: Authority | undefined
  const { client, store } = await clientFixture({
    loaded: { ...loaded, config },
    onResolve: ({ actor }) => void (authority = actor?.authority),
  })
  const schedule = scheduleSchema.parse({ cron: "0 3 * * *", prompt: "Look." })
  const creator = { by: id, via: "http", authority: everything, identity: { kind: "token", id } } as const
  const input = await signSchedule(store, "nightly", { schedule, creator })
  await client.schedules.start({ ...input, time: "2030-01-01T03:00:00Z" })
  return authority
}
const token = (...scopes: Token["scopes"]): Token => ({ name: "ops", tokenEnv: "OPS", scopes })

it("starts the tasks of a schedule with the rights that its token still has", async () => {
  expect(await startWith([token("admin")])).toEqual(everything)
  expect(await startWith([token("run", "approve")])).toEqual({ approval: "all", directories: ["/srv/work"] })
  expect(await startWith([token("run")])).toEqual({ approval: "policy", directories: ["/srv/work"] })
})

it("refuses the tasks of a token that was removed, or may start none any more, and says what to do", async () => {
  const advice = 'which added the schedule nightly: delete it with "adjutant schedule delete nightly"'
  await expect(startWith([])).rejects.toMatchObject({
    code: "forbidden",
    message: `http.tokens no longer has the token ops, ${advice}`,
  })
  await expect(startWith([token("read", "approve")])).rejects.toMatchObject({
    code: "forbidden",
    message: `the token ops no longer has the scope run, ${advice}`,
  })
})

it("leaves the token of the environment the rights that it had", async () => {
  expect(await startWith([], builtInCallers.apiToken)).toEqual(everything)
})

it("starts no task of a schedule that somebody wrote into Temporal", async () => {
  const { client, store, temporal } = await clientFixture()
  const schedule = scheduleSchema.parse({ cron: "0 3 * * *", prompt: "Look." })
  const ben = { by: "ben", via: "http", authority: { approval: "policy", directories: ["/srv"] } } as const
  const { added } = await signSchedule(store, "nightly", { schedule, creator: ben })
  if (added === undefined) throw new Error("it is not signed")
  const ana = { by: "ana", via: "cli", identity: { kind: "local", id: "ana" } } as const
  const forged = [
    { name: "nightly", added: { schedule, creator: ana } },
    { name: "nightly", added: { ...added, creator: ana } },
    { name: "nightly", added: { ...added, schedule: { ...schedule, prompt: "Delete it." } } },
    { name: "daily", added },
  ]
  for (const input of forged)
    await expect(client.schedules.start({ ...input, time: "2030-01-01T03:00:00Z" })).rejects.toMatchObject({
      code: "forbidden",
      message: `the schedule ${input.name} has no valid signature, so an earlier version added it, or somebody wrote it into Temporal: delete it with "adjutant schedule delete ${input.name}", and add it again`,
    })
  expect(temporal.executions.size).toBe(0)
  await client.schedules.start({ name: "nightly", added, time: "2030-01-01T03:00:00Z" })
})

it.each<[Authority["directories"], Authority["directories"], Authority["directories"]]>([
  ["any", ["/a"], ["/a"]],
  [["/a"], "any", ["/a"]],
  [["/a"], ["/a/b"], ["/a/b"]],
  [["/a/b", "/c"], ["/a", "/d"], ["/a/b"]],
  [["/a"], ["/ab"], []],
])("of the directories %j and %j, both allow %j", (base, other, both) => {
  const narrowed = narrowAuthority({ approval: "all", directories: base }, { approval: "policy", directories: other })
  expect(narrowed).toEqual({ approval: "policy", directories: both })
})
