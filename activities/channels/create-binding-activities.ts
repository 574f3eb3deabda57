import type { AgentDependencies } from "../agent-dependencies.ts"
import type { BindingActivities } from "../contract/binding-activities.ts"
import { createCheckBinding, createReleaseBinding } from "./check-binding.ts"
import { createReportRun } from "./report-run.ts"
import { createStartOpenSession } from "./start-open-session.ts"

export const createBindingActivities = (deps: AgentDependencies): BindingActivities => ({
  startOpenSession: createStartOpenSession(deps),
  reportRun: createReportRun(deps),
  checkBinding: createCheckBinding(deps),
  releaseBinding: createReleaseBinding(deps),
})
