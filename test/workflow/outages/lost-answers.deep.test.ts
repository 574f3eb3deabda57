import { expect, inject } from "vitest"
import { openStore } from "../../../store/open-store.ts"
import { type LosingProxy, startLosingProxy } from "../../helpers/engine/losing-proxy.ts"
import { eventually } from "../../helpers/eventually.ts"
import { openStage, type Stage } from "../../helpers/history/play-story.ts"
import { testWith } from "../../helpers/needs.ts"
import { createSchema, postgres } from "../../helpers/store/store-under-test.ts"

// The answer of one call to the store or to Temporal is lost after it took effect: of each of them in turn, in a story with a message, a
// run, a child, a decision, steering and a delivery.

/**
 * `ADJUTANT_EVERY=4/3` plays a story for the calls 3, 7, 11 and so on, up to the end of the story; `1` plays one for each call. Without it, some are
 * played.
 */
const [step = 23, begin = 1] = (process.env["ADJUTANT_EVERY"] ?? "23").split("/").map(Number)
const mostStories = process.env["ADJUTANT_EVERY"] === undefined ? 12 : Infinity
const timeoutMs = mostStories === Infinity ? 4 * 3_600_000 : 900_000

/** Plays the story once for each call whose answer is lost, and compares what happened with what was told. */
const loseEach = async ({ play, problemsOf, receiver }: Stage, proxy: LosingProxy, place: Place): Promise<void> => {
  const store = await openStore(place)
  const problems: string[] = []
  const note = (call: number, found: readonly string[]): void => {
    for (const problem of found) console.log(`call ${call}: ${problem}`)
    problems.push(...found.map((problem) => `call ${call}: ${problem}`))
  }
  let stories = 0
  try {
    for (let call = begin; stories < mostStories; call += step) {
      proxy.arm(call)
      const played = await play(`STORY ${call}`).catch((error: unknown) => String(error))
      if (!proxy.hasLost()) break
      stories += 1
      if (typeof played === "string") {
        note(call, [played])
        continue
      }
      note(call, await problemsOf(played, store))
      const delivered = () => receiver.effects.filter(({ body }) => body.session?.id === played.sessionId)
      await eventually(() => delivered().length > 0).catch(() => undefined)
      if (delivered().length !== 1) note(call, [`its result was delivered ${delivered().length} times`])
      if (stories % 10 === 0) console.log(`${stories} stories, up to call ${call}`)
    }
  } finally {
    await store.close()
  }
  console.log(`the answers of ${stories} calls were lost, the last one of at most call ${begin + stories * step}`)
  expect(stories).toBeGreaterThan(0)
  expect(problems).toEqual([])
}

interface Place {
  readonly url: string
  readonly dataDir: string
}

testWith(
  [postgres()],
  "an answer of PostgreSQL that is lost loses and doubles nothing",
  async () => {
    const url = await createSchema()
    const { host } = new URL(url)
    await using proxy = await startLosingProxy(host)
    await using stage = await openStage({
      address: inject("temporalAddress"),
      storeUrl: url.replace(host, proxy.address),
    })
    await loseEach(stage, proxy, { url, dataDir: stage.harness.dataDir })
  },
  timeoutMs,
)

testWith(
  [],
  "an answer of Temporal that is lost loses and doubles nothing",
  async () => {
    await using proxy = await startLosingProxy(inject("temporalAddress"))
    await using stage = await openStage({ address: proxy.address, storeUrl: "sqlite:" })
    await loseEach(stage, proxy, { url: "sqlite:", dataDir: stage.harness.dataDir })
  },
  timeoutMs,
)
