import type { AgentTask } from "../agent-task.ts"

export const addAnOption: AgentTask = {
  name: "add-an-option",
  prompt:
    "Add an option `--json` to count.js: it prints one line of JSON with the keys `lines`, `words` and `characters` instead of the text. It can come before or after the file. An option that does not exist prints `unknown option: <option>` on stderr and ends with exit code 2. Document it in README.md.",
  files: {
    "count.js": `const { readFileSync } = require("node:fs")
const [file] = process.argv.slice(2)
const text = readFileSync(file, "utf8")
const lines = text.split("\\n").length - 1
const words = text.split(/\\s+/).filter(Boolean).length
console.log(\`\${lines} lines, \${words} words, \${text.length} characters\`)
`,
    "README.md": "# count\n\n`node count.js <file>` counts lines, words and characters.\n",
    "sample.txt": "one two\nthree\n",
  },
  verify: `[ "$(node count.js sample.txt)" = "2 lines, 3 words, 14 characters" ] &&
expected='{"lines":2,"words":3,"characters":14}'
same() { node -e 'require("node:assert").deepStrictEqual(JSON.parse(process.argv[1]), JSON.parse(process.argv[2]))' "$1" "$expected"; }
same "$(node count.js --json sample.txt)" && same "$(node count.js sample.txt --json)" && grep -q -e --json README.md &&
message=$(node count.js --yaml sample.txt 2>&1 >/dev/null); [ $? = 2 ] && [ "$message" = "unknown option: --yaml" ]`,
  reference: `cat > count.js <<'END'
const { readFileSync } = require("node:fs")
const args = process.argv.slice(2)
const unknown = args.find((arg) => arg.startsWith("--") && arg !== "--json")
if (unknown !== undefined) {
  console.error("unknown option: " + unknown)
  process.exit(2)
}
const text = readFileSync(args.find((arg) => !arg.startsWith("--")), "utf8")
const lines = text.split("\\n").length - 1
const words = text.split(/\\s+/).filter(Boolean).length
console.log(args.includes("--json") ? JSON.stringify({ lines, words, characters: text.length }) : lines + " lines, " + words + " words, " + text.length + " characters")
END
echo 'With \`--json\`, it prints JSON.' >> README.md`,
}
