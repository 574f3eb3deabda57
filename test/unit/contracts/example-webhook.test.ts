import { readFile } from "node:fs/promises"
import path from "node:path"
import { expect, it } from "vitest"
import { outboundWebhookSchema } from "../../../contracts/index.ts"

const example = path.resolve(import.meta.dirname, "../../../examples/library/run-paused.json")

it("the webhook of the library's examples has every field that Adjutant sends", async () => {
  const { error } = outboundWebhookSchema.safeParse(JSON.parse(await readFile(example, "utf8")))
  expect(error?.issues ?? []).toEqual([])
})
