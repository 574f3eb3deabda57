import type { AgentTask } from "../agent-task.ts"

export const updateChangelog: AgentTask = {
  name: "update-changelog",
  prompt:
    "Add the section for version 1.3.0 to CHANGELOG.md, above that of 1.2.0 and in its form, from the commits since the tag v1.2.0: features under `### Added`, fixes under `### Fixed`, each as one item with the text of its subject after the prefix. Leave out commits of other kinds. The date is 2026-11-29.",
  files: {
    "CHANGELOG.md": `# Changelog

## 1.2.0 (2026-08-01)

### Added

- export as CSV

### Fixed

- time zones of reports
`,
    "app.js": "// app\n",
  },
  setUp: `git tag v1.2.0
for subject in "feat: import from JSON" "chore: update dependencies" "fix: empty reports" "docs: explain imports" "feat: dark mode" "fix: crash on long names"; do
  echo "// $subject" >> app.js; git commit -qam "$subject"
done`,
  verify: `node -e '
const text = require("node:fs").readFileSync("CHANGELOG.md", "utf8")
const [, section = ""] = /^## 1\\.3\\.0 \\(2026-11-29\\)$([^]*?)^## 1\\.2\\.0/m.exec(text) ?? []
const items = (title) => (new RegExp("^### " + title + "$([^]*?)(?=^#|$(?![^]))", "m").exec(section)?.[1] ?? "").match(/^- .*$/gm)?.sort().join() ?? ""
const isRight = items("Added") === "- dark mode,- import from JSON" && items("Fixed") === "- crash on long names,- empty reports"
process.exit(isRight && text.includes("- time zones of reports") && !/dependencies|explain/.test(section) ? 0 : 1)'`,
  reference: `cat > "$TMPDIR/section" <<'END'
## 1.3.0 (2026-11-29)

### Added

- import from JSON
- dark mode

### Fixed

- empty reports
- crash on long names

END
sed -i "2r $TMPDIR/section" CHANGELOG.md`,
}
