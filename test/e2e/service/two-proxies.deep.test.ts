import { writeFile } from "node:fs/promises"
import path from "node:path"
import { afterEach, beforeEach, expect, it } from "vitest"
import { stringify } from "yaml"
import { startChatModel } from "../../helpers/providers/chat-model.ts"
import { createChatAnswer } from "../../helpers/providers/chat-wire.ts"
import { startProxy } from "../../helpers/start-proxy.ts"
import { createProject, type ProjectDirectory } from "../cli/program.ts"

let project: ProjectDirectory
beforeEach(async () => {
  project = await createProject({}, { ADJUTANT_TRUST: "1" })
  const main = { provider: "openai-compatible", model: "big", baseUrl: "http://models.example/v1" }
  await writeFile(path.join(project.cwd, "adjutant.config.yaml"), stringify({ models: { main } }))
})
afterEach(() => project.remove())

it("two shells with two proxies use one service, and each task the proxy of its own shell", async () => {
  const bothAsked = Promise.withResolvers<void>()
  let asked = 0
  /** A model that only one proxy reaches. */
  const startModel = (text: string) =>
    startChatModel(async () => {
      asked += 1
      if (asked === 2) bothAsked.resolve()
      await bothAsked.promise
      return createChatAnswer([{ content: text }])
    })
  const models = [await startModel("Through one."), await startModel("Through two.")]
  await using first = await startProxy({ targetPort: Number(new URL(models[0]?.url ?? "").port) })
  await using second = await startProxy({ targetPort: Number(new URL(models[1]?.url ?? "").port) })
  try {
    const ended = await Promise.all(
      [first, second].map(({ url }) => project.runWith({ HTTP_PROXY: url }, "run", "hi", "-t", "Read")),
    )
    expect(ended).toMatchObject([{ stdout: "Through one.\n" }, { stdout: "Through two.\n" }])
    for (const { requests } of [first, second])
      expect(requests.map(({ target }) => target)).toEqual(["models.example:80"])
    expect((await project.run("service", "logs")).stdout.match(/^service ready/gm)).toHaveLength(1)
  } finally {
    for (const model of models) await model.close()
  }
})
