import { useLayoutEffect, useRef } from "preact/hooks"
import { linkProblem, signIn } from "../api/token.ts"

/** Asks for the token when the server wants one. */
export const SignIn = () => {
  const dialog = useRef<HTMLDialogElement>(null)
  const token = useRef<HTMLInputElement>(null)
  const enter = signIn.value
  useLayoutEffect(() => {
    if (enter !== undefined) dialog.current?.showModal()
  }, [enter])
  if (enter === undefined) return null
  return (
    <dialog id="sign-in" ref={dialog} aria-labelledby="sign-in-title" onCancel={(event) => event.preventDefault()}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          enter(token.current?.value.trim() ?? "")
        }}
      >
        <h2 id="sign-in-title">Access token</h2>
        {linkProblem.value !== undefined && <p role="status">{linkProblem.value}</p>}
        <p class="quiet">
          This server requires a token. Open the link that <code>adjutant dev</code> prints, or enter the token. Without
          a configured one, it is in the file <code>api-token</code> of the data directory. This browser keeps it for
          this address.
        </p>
        <input ref={token} id="token" type="password" autocomplete="off" aria-label="Access token" required />
        <button class="main" type="submit">
          Continue
        </button>
      </form>
    </dialog>
  )
}
