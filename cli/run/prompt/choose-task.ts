import { statusWords } from "../../../domain/operator/status-words.ts"
import { withHost } from "../../host/with-host.ts"
import type { CommandContext } from "../../host/hosts.ts"
import { agoText } from "../../text/figures.ts"
import { oneLine } from "../../terminal/plain-text.ts"
import { columnsOf, table } from "../../text/table.ts"
import { wrongUsage } from "../../program/wrong-usage.ts"

const mostOffered = 9

/** Lists the last tasks and asks the person which one is meant. @throws AdjutantError `invalid_argument` if nobody can be asked */
export const chooseTask = async (context: CommandContext): Promise<string> => {
  const { person, io, options } = context
  if (person === undefined || options.output !== "text")
    throw wrongUsage('the task is missing: pass its id, its label or a checkpoint id; "adjutant list" shows them')
  let ids: readonly string[] = []
  await withHost(
    context,
    "reading",
    async ({ client, redact }) => {
      // Sub-agents are continued through their parents.
      const { items } = await client.list({ limit: 100 })
      const roots = items.filter(({ parent_session_id: parent }) => parent === null).slice(0, mostOffered)
      ids = roots.map(({ id }) => id)
      const rows = roots.map((session, index) => [
        `${index + 1}`,
        session.id,
        statusWords(session),
        agoText(session.updated_at, Date.now()),
        redact(oneLine(session.title ?? "", 60)),
      ])
      if (rows.length > 0)
        io.stderr.write(`${table(["", "ID", "STATUS", "CHANGED", "TITLE"], rows, { columns: columnsOf(io.stderr) })}\n`)
      return 0
    },
    { mustExist: false },
  )
  if (ids.length === 0) throw wrongUsage('there is no task yet: start one with adjutant run "<prompt>"')
  await person.discardTyped()
  const typed = (await person.ask(`Task to continue, 1 to ${ids.length} (empty: none): `))?.trim() ?? ""
  const chosen = ids.find((id, index) => typed === String(index + 1) || typed === id)
  if (chosen === undefined) throw wrongUsage("no task was chosen: nothing is continued")
  return chosen
}
