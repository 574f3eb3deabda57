import type { SessionState } from "../../domain/session/session-state.ts"

/** Returns whether steering waits for the session. Any other text waits for the model's next turn: it makes no call void. */
export const isSteered = ({ waiting }: Pick<SessionState, "waiting">): boolean =>
  waiting.some(({ source }) => source === "steering")
