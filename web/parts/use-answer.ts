import { useEffect, useState } from "preact/hooks"
import { errorMessage } from "../../domain/text/error-message.ts"

/** Asks the server when a view opens and whenever the key changes; a later answer replaces an earlier one. */
export const useAnswer = <T>(
  key: string,
  ask: () => Promise<T>,
): { readonly answer?: T; readonly failure?: string } => {
  const [state, setState] = useState<{ readonly answer?: T; readonly failure?: string }>({})
  useEffect(() => {
    let isCurrent = true
    ask().then(
      (answer) => {
        if (isCurrent) setState({ answer })
      },
      (error: unknown) => {
        if (isCurrent) setState({ failure: errorMessage(error) })
      },
    )
    return () => {
      isCurrent = false
    }
  }, [key])
  return state
}
