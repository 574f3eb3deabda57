import type { AgentTask } from "./agent-task.ts"
import { addAnOption } from "./tasks/add-an-option.ts"
import { configMigration } from "./tasks/config-migration.ts"
import { findTheCommit } from "./tasks/find-the-commit.ts"
import { fixFailingTest } from "./tasks/fix-failing-test.ts"
import { flakyTest } from "./tasks/flaky-test.ts"
import { mergeConflict } from "./tasks/merge-conflict.ts"
import { parserFromTests } from "./tasks/parser-from-tests.ts"
import { quotedCsv } from "./tasks/quoted-csv.ts"
import { renameAcrossFiles } from "./tasks/rename-across-files.ts"
import { updateChangelog } from "./tasks/update-changelog.ts"

export const agentTasks: readonly AgentTask[] = [
  fixFailingTest,
  renameAcrossFiles,
  parserFromTests,
  findTheCommit,
  updateChangelog,
  mergeConflict,
  flakyTest,
  configMigration,
  addAnOption,
  quotedCsv,
]
