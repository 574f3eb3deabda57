import type { AgentTask } from "../agent-task.ts"

export const quotedCsv: AgentTask = {
  name: "quoted-csv",
  prompt:
    "Users report that names such as `Smith, Ana` and notes with quotes or line breaks damage the file that csv.js writes. Fix it as RFC 4180 says, and leave values that need no quotes as they are. Add tests (`node --test`).",
  files: {
    "csv.js": `exports.toCsv = (rows) => {
  const columns = Object.keys(rows[0])
  return [columns.join(","), ...rows.map((row) => columns.map((column) => row[column]).join(","))].join("\\r\\n")
}
`,
    "csv.test.js": `const test = require("node:test")
const assert = require("node:assert")
const { toCsv } = require("./csv.js")
test("writes rows", () => assert.equal(toCsv([{ id: 1, name: "Ana" }]), "id,name\\r\\n1,Ana"))
`,
  },
  hidden: {
    "hidden.test.js": `const test = require("node:test")
const assert = require("node:assert")
const { toCsv } = require("./csv.js")
test("commas", () => assert.equal(toCsv([{ n: "Smith, Ana" }]), 'n\\r\\n"Smith, Ana"'))
test("quotes", () => assert.equal(toCsv([{ n: 'say "hi"' }]), 'n\\r\\n"say ""hi"""'))
test("line breaks", () => assert.equal(toCsv([{ n: "a\\nb" }, { n: "c\\rd" }]), 'n\\r\\n"a\\nb"\\r\\n"c\\rd"'))
test("names of columns", () => assert.equal(toCsv([{ "a,b": 1 }]), '"a,b"\\r\\n1'))
`,
  },
  verify: "node --test && [ \"$(cat *.test.js | grep -c 'test(')\" -gt 5 ] && ! git diff --quiet HEAD -- csv.js",
  reference: `cat > csv.js <<'END'
const cell = (value) => (/[",\\r\\n]/.test(String(value)) ? '"' + String(value).replaceAll('"', '""') + '"' : String(value))
exports.toCsv = (rows) => {
  const columns = Object.keys(rows[0])
  return [columns, ...rows.map((row) => columns.map((column) => row[column]))].map((row) => row.map(cell).join(",")).join("\\r\\n")
}
END
echo 'test("quotes", () => assert.equal(toCsv([{ a: "," }]), "a\\r\\n\\",\\""))' >> csv.test.js`,
}
