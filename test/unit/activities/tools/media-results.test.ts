import { expect, test } from "vitest"
import { describeMedia, storeMedia } from "../../../../activities/tools/additions/store-media.ts"
import { createPng } from "../../../helpers/media-files.ts"
import { storeWithSession } from "../../store/store-fixture.ts"

const picture = createPng(8, 6)
const text = `PNG image, 8x6 pixels, ${picture.length} bytes`

const lineFor = (name: string): string => describeMedia({ content: "", media: [{ bytes: picture, name }] }).content

test.each([
  ["a path", "charts/a b.png", `[charts/a b.png: ${text}]`],
  ["line breaks and control characters", "a\n\r\tb\u0000\u001b[31m\u202e.png", `[a b[31m.png: ${text}]`],
  ["a data URI", `data:image/png;base64,${"A".repeat(3_000_000)}`, `[${text}]`],
  ["a data URI that begins with a blank", " \n DATA:image/png;base64,AAAA", `[${text}]`],
  ["nothing that can be seen", "\u200b\n", `[${text}]`],
])("the line about an image shows a name that is %s as one line", (_, name, line) => {
  expect(lineFor(name)).toBe(line)
})

test("the lines about images are short, however long their names are", () => {
  const long = `file:///${"a".repeat(3_000_000)}`
  expect(lineFor(long).length).toBeLessThan(300)
  const media = Array.from({ length: 10 }, () => ({ bytes: picture, name: long }))
  const { content } = describeMedia({ content: "x", media })
  expect(content.length).toBeLessThan(3_000)
})

test("the line about an image that the session has no space for says so", async () => {
  const store = await storeWithSession()
  const other = createPng(9, 6)
  const result = describeMedia({
    content: "Charts.",
    media: [
      { bytes: picture, name: "small.png" },
      { bytes: other, name: "$&.png" },
      { bytes: other, name: "again.png" },
    ],
  })
  const put: typeof store.media.put = (id, contents) => store.media.put(id, contents, picture.length + other.length - 1)
  const { content, media } = await storeMedia({ media: { ...store.media, put } }, "s1", result)
  const noSpace = `PNG image, 9x6 pixels, ${other.length} bytes; not shown: a session keeps at most 100.0 MB of images and PDF files`
  expect(content).toBe(`Charts.\n[small.png: ${text}]\n[$&.png: ${noSpace}]\n[again.png: ${noSpace}]`)
  expect(media.map(({ width }) => width)).toEqual([8])
})
