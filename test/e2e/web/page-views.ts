import type { WebProject } from "./web-project.ts"

export interface PageView {
  readonly name: string
  /** What follows the server's address. */
  readonly path: string
  /** What is there when the view is complete. */
  readonly ready: string
}

/** Starts sessions in every state, and returns the views of the page that show them. */
export const beginViews = async (project: WebProject): Promise<readonly PageView[]> => {
  const begin = async (message: string, status: string, fields: Readonly<Record<string, unknown>> = {}) => {
    const id = await project.begin(message, fields)
    await project.reaches(id, status)
    return id
  }
  const long = await begin("Explain at length", "completed", { budget_tokens: 100_000, timeout_seconds: 600 })
  const failed = await begin("Fail for good", "failed")
  const edit = await begin("Raise the retries", "paused")
  await begin("Write the runbook", "paused")
  const question = await begin("Ask me", "paused", { pause_on_approval: true })
  const retried = await begin("Wait for the provider", "running")
  const parent = await begin("Let a child write", "paused")
  const written = await begin("Raise the retries at once", "completed", { auto_approve: true })
  const session = (id: string, tab = ""): string => `/#/s/${id}${tab}`
  return [
    { name: "home", path: "/", ready: "#tree [data-id]" },
    { name: "transcript", path: session(long), ready: "#rows .markdown" },
    { name: "failed", path: session(failed), ready: ".banner.bad" },
    { name: "paused", path: session(edit), ready: "#rows .card .diff" },
    { name: "question", path: session(question), ready: "#rows .card textarea" },
    { name: "retried", path: session(retried), ready: ".banner.wait" },
    { name: "parent", path: session(parent), ready: ".banner.wait a" },
    { name: "timeline", path: session(written, "/timeline"), ready: ".timeline tbody tr" },
    { name: "agents", path: session(parent, "/agents"), ready: ".agents .agent a" },
    { name: "changes", path: session(written, "/changes"), ready: ".change .diff" },
    { name: "review", path: "/#/review", ready: "#review .diff" },
    { name: "start", path: "/#/start", ready: "#start form" },
    { name: "missing", path: session("nosuchsession"), ready: "#pane .empty" },
  ]
}
