import { expect, test } from "vitest"
import { storeMedia } from "../../../../activities/tools/additions/store-media.ts"
import { createPng } from "../../../helpers/media-files.ts"
import { storeWithSession } from "../../store/store-fixture.ts"

const picture = createPng(8, 6)
const text = `PNG image, 8x6 pixels, ${picture.length} bytes`

const lineFor = async (name: string): Promise<string> => {
  const { content } = await storeMedia({ store: await storeWithSession() }, "s1", {
    content: "",
    media: [{ bytes: picture, name }],
  })
  return content
}

test.each([
  ["a path", "charts/a b.png", `[charts/a b.png: ${text}]`],
  ["line breaks and control characters", "a\n\r\tb\u0000\u001b[31m\u202e.png", `[a b[31m.png: ${text}]`],
  ["a data URI", `data:image/png;base64,${"A".repeat(3_000_000)}`, `[${text}]`],
  ["a data URI that begins with a blank", " \n DATA:image/png;base64,AAAA", `[${text}]`],
  ["nothing that can be seen", "\u200b\n", `[${text}]`],
])("the line about an image shows a name that is %s as one line", async (_, name, line) => {
  expect(await lineFor(name)).toBe(line)
})

test("the lines about images are short, however long their names are", async () => {
  const long = `file:///${"a".repeat(3_000_000)}`
  expect((await lineFor(long)).length).toBeLessThan(300)
  const media = Array.from({ length: 10 }, () => ({ bytes: picture, name: long }))
  const { content } = await storeMedia({ store: await storeWithSession() }, "s1", { content: "x", media })
  expect(content.length).toBeLessThan(3_000)
})
