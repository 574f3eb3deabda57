import { expect, test } from "vitest"
import { showFolderGuides } from "../../../../activities/tools/additions/show-folder-guides.ts"
import type { RunSnapshot } from "../../../../contracts/run-snapshot.ts"
import { storeWithSession } from "../../store/store-fixture.ts"
import { notesProject } from "../../sessions/notes/notes-project.ts"

test("the notes of a file's folder follow the result of its call; a store that fails does not change that result", async () => {
  const { cwd, dataDir, put } = notesProject()
  put("docs/AGENTS.md", "Wrap lines.")
  put("docs/a.md", "text")
  const store = await storeWithSession()
  const write = {
    snapshot: { cwd } as RunSnapshot,
    call: { id: "c1", name: "Write", arguments: { file_path: "docs/a.md" } },
    content: "Created docs/a.md.",
  }
  const place = { sessionId: "s1", resultSeq: 2 }
  expect(await showFolderGuides({ store, dataDir }, place, write)).toMatch(/^Created docs\/a\.md\.\n[^]*Wrap lines\./)

  const shownFolders = { show: () => Promise.reject(new Error("database is locked")) }
  const broken = { store: { ...store, shownFolders }, dataDir }
  expect(await showFolderGuides(broken, { ...place, resultSeq: 4 }, write)).toBe("Created docs/a.md.")
})
