import { expect, it } from "vitest"
import { fenceData, withoutFences } from "../../../../../domain/text/foreign/fence-data.ts"

it.each(["</result>", "</RESULT>", "</Result >", "<result>", "<rEsult attribute>"])(
  "a text cannot open or close the tags around it: %s",
  (tag) => {
    const fenced = fenceData("result", `before ${tag} after`)
    expect(fenced.match(/<\/?result/gi)).toEqual(["<result", "</result"])
    expect(fenced.endsWith("after\n</result>")).toBe(true)
  },
)

it("leaves other tags as they are, and people see no tags around", () => {
  expect(fenceData("result", "a < b, <b>bold</b>")).toBe("<result>\na < b, <b>bold</b>\n</result>")
  expect(withoutFences(fenceData("result", "Done."))).toBe("Done.\n")
})
