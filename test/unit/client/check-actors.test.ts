import { expect, it } from "vitest"
import { actor, clientFixture, request } from "./client-fixture.ts"

const example = 'an actor says who acts, for example { by: "release-bot", via: "library" }'

/** Every method of the client that takes an actor, with the place of it. */
const calls: readonly (readonly [name: string, argsWith: (actor: unknown) => readonly unknown[]])[] = [
  ...["create", "startTask", "fork", "spawn", "takeOver", "send", "decide", "grant", "schedules.add"].map(
    (name) => [name, (given: unknown) => [{ sessionId: "a", actor: given }]] as const,
  ),
  ["channels.focus", (given) => [{ sessionId: "a", actor: given }]],
  ["schedules.change", (given) => ["nightly", { change: "trigger", actor: given }]],
  ...["stopAll", "engine.move"].map((name) => [name, (given: unknown) => [given]] as const),
  ...["cancel", "delete", "retry", "prune", "reconcile", "schedules.delete", "profiles.create", "profiles.update"].map(
    (name) => [name, (given: unknown) => ["a", given]] as const,
  ),
  ...["profiles.delete", "deliveries.retry", "deliveries.dismiss", "channels.unfocus", "channels.setExpiry"].map(
    (name) => [name, (given: unknown) => ["a", given]] as const,
  ),
  ...["withdraw", "revokeGrant", "setModel"].map((name) => [name, (given: unknown) => ["a", "b", given]] as const),
]

/** Calls a method as a program in JavaScript does. */
const call = (client: object, name: string, args: readonly unknown[]): Promise<unknown> => {
  let found: unknown = client
  for (const part of name.split(".")) found = Reflect.get(Object(found), part)
  if (typeof found !== "function") throw new Error(`the client has no method ${name}`)
  return Reflect.apply(found, undefined, args)
}

it.each(calls)("%s rejects if it is not told who acts", async (name, argsWith) => {
  const { client } = await clientFixture()
  const refusals = [
    [undefined, "actor: is missing"],
    ["ana", "actor: expected object, received string"],
    [{ by: "ana" }, "actor.via: is missing"],
    [{ ...actor, authority: "admin" }, "actor.authority: expected object, received string"],
  ] as const
  for (const [given, problem] of refusals)
    await expect(call(client, name, argsWith(given))).rejects.toMatchObject({
      code: "invalid_argument",
      message: `${problem}; ${example}`,
    })
  await expect(call(client, name, [])).rejects.toMatchObject({ message: `actor: is missing; ${example}` })
})

it("a run can be started without an actor, as the user of this process, and not with a wrong one", async () => {
  const { client } = await clientFixture()
  expect(await client.start(request)).toHaveProperty("sessionId")
  await expect(call(client, "start", [{ ...request, actor: "ana" }])).rejects.toMatchObject({
    code: "invalid_argument",
    message: `actor: expected object, received string; ${example}`,
  })
})
