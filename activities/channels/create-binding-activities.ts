import { signalSession } from "../../engine/send-update.ts"
import { reportToThread } from "../../sessions/delivery/report-by-hand.ts"
import { reportRun } from "../../sessions/delivery/report-run.ts"
import type { AgentDependencies } from "../agent-dependencies.ts"
import type { BindingActivities } from "../contract/binding-activities.ts"
import { createCheckBinding, createReleaseBinding } from "./check-binding.ts"
import { createStartOpenSession } from "./start-open-session.ts"

const createReportRun =
  ({ store, temporal }: Pick<AgentDependencies, "store" | "temporal">): BindingActivities["reportRun"] =>
  async (run) =>
    await reportRun({ store, signal: (signal) => signalSession(temporal, signal) }, run)

const createSayInThread =
  ({ announcer }: Pick<AgentDependencies, "announcer">): BindingActivities["sayInThread"] =>
  async (said) => ({ deliveries: await announcer.said(said) })

const createReportToThread =
  ({ store, announcer }: Pick<AgentDependencies, "store" | "announcer">): BindingActivities["reportToThread"] =>
  async (run) => ({ deliveries: await reportToThread({ store, announcer }, run) })

export const createBindingActivities = (deps: AgentDependencies): BindingActivities => ({
  startOpenSession: createStartOpenSession(deps),
  reportRun: createReportRun(deps),
  reportToThread: createReportToThread(deps),
  sayInThread: createSayInThread(deps),
  checkBinding: createCheckBinding(deps),
  releaseBinding: createReleaseBinding(deps),
})
