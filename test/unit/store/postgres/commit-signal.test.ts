import { expect, onTestFinished, test } from "vitest"
import { parsePostgresUrl } from "../../../../store/postgres/postgres-address.ts"
import { clientConfig } from "../../../../store/postgres/postgres-pool.ts"
import { type CommitSignal, createCommitSignal } from "../../../../store/postgres/postgres-signal.ts"
import { describeWith } from "../../../helpers/needs.ts"
import { execute, getPostgresServer, postgres } from "../../../helpers/store/store-under-test.ts"
import { startPooler } from "../../../helpers/store/start-pooler.ts"
import { untilPasses } from "../../../helpers/eventually.ts"

const never = 1_000_000_000

/** By default, the counter changes only with a connection and with a signal. On a busy machine, connecting takes longer than the usual waits. */
const openSignal = async (
  schema: string,
  { url, ...times }: { quietMs?: number; downMs?: number; url?: string } = {},
): Promise<CommitSignal> => {
  const server = url ?? (await getPostgresServer())
  const config = clientConfig(parsePostgresUrl(`${server}?application_name=${schema}`), 20_000)
  const signal = createCommitSignal({ config, schema, quietMs: never, downMs: never, ...times })
  onTestFinished(() => signal.close())
  return signal
}

/** Returns the counter once it is connected. */
const settled = async (signal: CommitSignal): Promise<number> => {
  const first = signal.changeCounter()
  return untilPasses(() => {
    expect(signal.changeCounter()).not.toBe(first)
    return signal.changeCounter()
  })
}

describeWith([postgres()], "the commit signal", () => {
  test("reaches other connections without any poll, and not its sender", async () => {
    const [giver, hearer, stranger] = [await openSignal("a"), await openSignal("a"), await openSignal("b")]
    const before = [await settled(giver), await settled(hearer), await settled(stranger)]
    giver.notifyReaders()
    await untilPasses(() => expect(hearer.changeCounter()).not.toBe(before[1]))
    expect([giver.changeCounter(), stranger.changeCounter()]).toEqual([before[0], before[2]])
  })

  test("is sent before the sender closes", async () => {
    const hearer = await openSignal("c")
    const before = await settled(hearer)
    const giver = await openSignal("c")
    giver.notifyReaders()
    await giver.close()
    await untilPasses(() => expect(hearer.changeCounter()).not.toBe(before))
  })

  test("is sent again after its connection was broken", async () => {
    const hearer = await openSignal("broken", { downMs: 1 })
    await settled(hearer)
    await execute(
      await getPostgresServer(),
      "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'broken'",
    )
    const giver = await openSignal("broken", { downMs: 1 })
    await untilPasses(() => {
      const before = hearer.changeCounter()
      giver.notifyReaders()
      return untilPasses(() => expect(hearer.changeCounter()).not.toBe(before), { timeoutMs: 1_000 })
    })
  })

  test("is replaced by occasional polls if no signal arrives", async () => {
    const quiet = await openSignal("quiet", { quietMs: 5 })
    const before = await settled(quiet)
    await untilPasses(() => expect(quiet.changeCounter()).toBeGreaterThan(before + 3))
  })

  test("is replaced by polls behind a pooler that gives a connection for one transaction: LISTEN would stay there", async () => {
    const { url, statements } = await startPooler(await getPostgresServer(), "transaction")
    const pooled = await openSignal("pooled", { url, downMs: 5 })
    const before = pooled.changeCounter()
    await untilPasses(() => expect(pooled.changeCounter()).toBeGreaterThan(before + 3))
    await untilPasses(() => expect(statements).toContain("rollback"))
    pooled.notifyReaders()
    await pooled.close()
    expect(statements.filter((text) => /^(listen|notify|set)/.test(text))).toEqual([])
  })

  test("reaches connections behind a pooler that gives one for as long as its client is connected", async () => {
    const { url } = await startPooler(await getPostgresServer(), "session")
    const hearer = await openSignal("kept", { url })
    const before = await settled(hearer)
    const giver = await openSignal("kept")
    giver.notifyReaders()
    await untilPasses(() => expect(hearer.changeCounter()).not.toBe(before))
  })
})
