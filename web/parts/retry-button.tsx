import { useState } from "preact/hooks"

/** Calls the model of a session now, once per wait: the server reports the outcome of the call as the next wait, or as none. */
export const RetryButton = ({
  wait,
  onRetry,
}: {
  readonly wait: string
  /** Returns whether the request was accepted. */
  readonly onRetry: () => Promise<boolean>
}) => {
  const [requested, setRequested] = useState<string>()
  const isRequested = requested === wait
  const retry = async (): Promise<void> => {
    setRequested(wait)
    if (!(await onRetry())) setRequested(undefined)
  }
  return (
    <button disabled={isRequested} onClick={() => void retry()}>
      {isRequested ? "Retry requested" : "Retry now"}
    </button>
  )
}
