import { initial } from "./migrations/early/001-initial.ts"
import { idempotencyKeys } from "./migrations/early/002-idempotency-keys.ts"
import { deliveries } from "./migrations/early/003-deliveries.ts"
import { bindings } from "./migrations/early/004-bindings.ts"
import { missingExecutions } from "./migrations/early/005-missing-executions.ts"
import { reconcilerNotes } from "./migrations/early/006-reconciler-notes.ts"
import { liveness } from "./migrations/early/007-liveness.ts"
import { claimStarts } from "./migrations/early/008-claim-starts.ts"
import { workerAges } from "./migrations/early/009-worker-ages.ts"
import { callers } from "./migrations/010-callers.ts"
import { callPreviews } from "./migrations/011-call-previews.ts"
import { machines } from "./migrations/012-machines.ts"
import { callEdits } from "./migrations/013-call-edits.ts"
import { sessionViews } from "./migrations/014-session-views.ts"
import { dailyUsage } from "./migrations/015-daily-usage.ts"
import { grants } from "./migrations/016-grants.ts"
import { shownFolders } from "./migrations/017-shown-folders.ts"
import { profiles } from "./migrations/018-profiles.ts"
import { providerCalls } from "./migrations/019-provider-calls.ts"
import { worktrees } from "./migrations/020-worktrees.ts"
import { media } from "./migrations/021-media.ts"
import type { Migration } from "./migrations/migration.ts"

/** In order of version. */
export const migrations: readonly Migration[] = [
  initial,
  idempotencyKeys,
  deliveries,
  bindings,
  missingExecutions,
  reconcilerNotes,
  liveness,
  claimStarts,
  workerAges,
  callers,
  callPreviews,
  machines,
  callEdits,
  sessionViews,
  dailyUsage,
  grants,
  shownFolders,
  profiles,
  providerCalls,
  worktrees,
  media,
]
