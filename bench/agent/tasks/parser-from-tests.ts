import type { AgentTask } from "../agent-task.ts"

export const parserFromTests: AgentTask = {
  name: "parser-from-tests",
  prompt:
    "Write duration.js, which exports `parseDuration(text)`, so that the tests pass (`node --test`). The comments in the test file say what else it has to do.",
  files: {
    "duration.test.js": `const test = require("node:test")
const assert = require("node:assert")
const { parseDuration } = require("./duration.js")
// Returns milliseconds. Units: d, h, m, s, ms; each at most once, larger ones first; spaces between parts are allowed.
// Numbers can have decimals. Anything else throws a RangeError that names the text.
test("one unit", () => assert.equal(parseDuration("90s"), 90_000))
test("several units", () => assert.equal(parseDuration("1h 30m"), 5_400_000))
test("decimals", () => assert.equal(parseDuration("1.5h"), 5_400_000))
test("refuses what is not a duration", () => assert.throws(() => parseDuration("soon"), /soon/))
`,
  },
  hidden: {
    "hidden.test.js": `const test = require("node:test")
const assert = require("node:assert")
const { parseDuration } = require("./duration.js")
test("all units", () => assert.equal(parseDuration("1d2h3m4s5ms"), 93_784_005))
test("milliseconds are not minutes", () => assert.equal(parseDuration("250ms"), 250))
for (const wrong of ["", "5", "1m 1h", "1s 1s", "1h,2m", "-1s", "1 h x"])
  test("refuses " + JSON.stringify(wrong), () => assert.throws(() => parseDuration(wrong), RangeError))
`,
  },
  verify: "git diff --quiet HEAD -- duration.test.js && node --test",
  reference: `cat > duration.js <<'END'
const units = [["d", 86_400_000], ["h", 3_600_000], ["m", 60_000], ["s", 1_000], ["ms", 1]]
const pattern = new RegExp("^" + units.map(([unit]) => "(?:(\\\\d+(?:\\\\.\\\\d+)?)" + unit + "(?![a-z]))?").join("\\\\s*") + "$")
exports.parseDuration = (text) => {
  const found = text === "" ? null : pattern.exec(text)
  if (found === null) throw new RangeError("not a duration: " + JSON.stringify(text))
  return units.reduce((sum, [, size], index) => sum + Number(found[index + 1] ?? 0) * size, 0)
}
END`,
}
