import { initial } from "./001-initial.ts"
import { idempotencyKeys } from "./002-idempotency-keys.ts"
import { deliveries } from "./003-deliveries.ts"
import { bindings } from "./004-bindings.ts"
import { missingExecutions } from "./005-missing-executions.ts"
import { reconcilerNotes } from "./006-reconciler-notes.ts"
import { liveness } from "./007-liveness.ts"
import { claimStarts } from "./008-claim-starts.ts"
import { workerAges } from "./009-worker-ages.ts"
import { callers } from "./010-callers.ts"
import { callPreviews } from "./011-call-previews.ts"
import { machines } from "./012-machines.ts"
import { callEdits } from "./013-call-edits.ts"
import type { Migration } from "./migration.ts"

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
]
