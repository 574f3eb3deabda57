import type { SessionMessage } from "../../domain/session/session-message.ts"
import type { Store } from "../../store/store.ts"
import { isSignedWithStore, signWithStore } from "../authority/store-signature.ts"

/** Returns everything that a message says as one text, regardless of the order of its fields. */
const signedMessage = (sessionId: string, message: SessionMessage): string => {
  const { id, type, source, run_id, checkpoint_id, new_run, in_thread, after_run, approval, budget } = message
  return `adjutant message ${JSON.stringify([
    ...[1, sessionId, id, type, source, run_id ?? null, checkpoint_id ?? null, after_run ?? null],
    new_run === undefined ? null : [new_run.run_id, new_run.snapshot_hash],
    ...[in_thread ?? null, approval ?? null, budget === undefined ? null : [budget.micro_usd, budget.tokens]],
  ])}`
}

/** Signs a message for one session: what a message says about its source, settings and budget counts as said by a program. */
export const signMessage = async (
  store: Pick<Store, "secret">,
  sessionId: string,
  message: SessionMessage,
): Promise<SessionMessage> => ({ ...message, signature: await signWithStore(store, signedMessage(sessionId, message)) })

/** Returns whether a program with this store sent the message, to this session and with exactly this content. */
export const isSignedMessage = (
  store: Pick<Store, "secret">,
  sessionId: string,
  message: SessionMessage,
): Promise<boolean> => isSignedWithStore(store, signedMessage(sessionId, message), message.signature)
