import type { Session } from "../../contracts/session.ts"
import { numberedTaskTable } from "../../domain/delegation/task/task-table.ts"

/** Returns a Markdown table of sessions, in the given order. */
export const sessionsTable = (sessions: readonly Session[]): string =>
  numberedTaskTable(
    sessions.map((session) => ({
      id: session.id,
      number: session.number,
      status: session.status,
      description: [session.agent, ...(session.title === null ? [] : [session.title])].join(": "),
      startedAt: session.created_at,
      durationMs: Math.max(0, Date.parse(session.updated_at) - Date.parse(session.created_at)),
      stepsTaken: session.steps_taken,
    })),
  )
