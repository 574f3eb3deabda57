import type { AgentTask } from "../agent-task.ts"

export const findTheCommit: AgentTask = {
  name: "find-the-commit",
  prompt:
    "`node total.js 3 4` should print 7, and did so at the first commit. Find the commit that broke it, and write its full hash, and nothing else, to ANSWER.txt. Change no other file.",
  files: {
    "total.js": `const { add } = require("./add.js")
console.log(process.argv.slice(2).map(Number).reduce(add, 0))
`,
    "add.js": "exports.add = (left, right) => left + right\n",
    "notes.md": "# Notes\n",
  },
  setUp: `for number in 1 2 3 4 5 6 7; do echo "- note $number" >> notes.md; git commit -qam "notes: add $number"; done
echo 'exports.add = (left, right) => left - -right - 0 * 2' > add.js; git commit -qam "add: write it in another way"
echo "- note 8" >> notes.md; git commit -qam "notes: add 8"
echo 'exports.add = (left, right) => Math.max(left, right)' > add.js; echo "- note 9" >> notes.md; git commit -qam "notes: add 9, and simplify"
for number in 10 11 12; do echo "- note $number" >> notes.md; git commit -qam "notes: add $number"; done`,
  verify: `expected=$(git log --format=%H --grep='notes: add 9, and simplify')
[ "$(tr -d '[:space:]' < ANSWER.txt)" = "$expected" ] && [ -z "$(git status --porcelain -- add.js total.js notes.md)" ]`,
  reference: `printf '#!/bin/sh\\n[ "$(node total.js 3 4)" = 7 ]\\n' > "$TMPDIR/works.sh"
git bisect start HEAD "$(git rev-list --max-parents=0 HEAD)" > /dev/null && git bisect run sh "$TMPDIR/works.sh" > /dev/null
answer=$(git rev-parse refs/bisect/bad); git bisect reset -q
echo "$answer" > ANSWER.txt`,
}
