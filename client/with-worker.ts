import type { AdjutantClient } from "./create-client.ts"

interface WorkerRules {
  /** Returns when a worker is running. */
  requireWorker(): Promise<void>
  /** Rejects with `session_not_found`. No worker is started for a request that is about no session. */
  requireSession(sessionId: string): Promise<unknown>
}

/** Returns the client with a worker for what starts, sends to, decides, retries and cancels runs, which would wait for ever without one. */
export const withWorker = (client: AdjutantClient, { requireWorker, requireSession }: WorkerRules): AdjutantClient => {
  const working =
    <Input extends readonly unknown[], Result>(
      act: (...input: Input) => Promise<Result>,
      check?: (...input: Input) => Promise<unknown>,
    ) =>
    async (...input: Input): Promise<Result> => {
      await check?.(...input)
      await requireWorker()
      return await act(...input)
    }
  const ofRequest = ({ sessionId }: { readonly sessionId: string }) => requireSession(sessionId)
  const ofId = (sessionId: string) => requireSession(sessionId)
  return {
    ...client,
    start: working(client.start),
    startTask: working(client.startTask),
    spawn: working(client.spawn),
    send: working(client.send, ofRequest),
    decide: working(client.decide, ofRequest),
    decideByLink: working(client.decideByLink),
    cancel: working(client.cancel, ofId),
    retry: working(client.retry, ofId),
  }
}
