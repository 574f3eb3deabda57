import type { Session } from "../../contracts/session/session.ts"
import type { TaskHost } from "../host/hosts.ts"
import type { Resumption } from "./apply-resumption.ts"

const plannedFor = (resumption: Extract<Resumption, { kind: "decisions" }>, callId: string): string =>
  (Object.hasOwn(resumption.decisions, callId) ? resumption.decisions[callId] : resumption.all)?.action ?? "reject"

/** Warns if another decision on the same pause was applied first. Only the run that has continued can tell. */
export const warnOfOtherDecision = async (
  { client, warn }: { readonly client: Pick<TaskHost["client"], "inspectTarget"> } & Pick<TaskHost, "warn">,
  session: Session,
  resumption: Resumption,
): Promise<void> => {
  if (resumption.kind !== "decisions" || session.checkpoint_id === null) return
  const { checkpoint } = await client.inspectTarget(session.checkpoint_id)
  const contrary = Object.entries(checkpoint?.decisions ?? {}).filter(
    ([id, action]) => action !== plannedFor(resumption, id),
  )
  if (contrary.length > 0)
    warn(
      `your decision came too late: another one was applied to task ${session.id} (${contrary.map(([id, action]) => `${id}: ${action}`).join(", ")})`,
    )
}
