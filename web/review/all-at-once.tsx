import { counted } from "../../domain/text/figures.ts"
import type { Approval } from "../api/shapes.ts"

/** Decides all calls of a pause, below a list of what that is. An approval leaves out calls that change protected files or leave the sandbox, as the server does. */
export const AllAtOnce = ({
  approval: { pending, session_id: id },
  isBusy,
  onDecide,
}: {
  readonly approval: Approval
  readonly isBusy: boolean
  readonly onDecide: (decision: { readonly action: "accept" | "reject" }) => void
}) => {
  const calls = counted(pending.length, "call")
  const included = pending.filter((call) => call.protected !== true)
  const isWhole = included.length === pending.length
  const what = isWhole ? `all ${calls}` : `the other ${counted(included.length, "call")}`
  return (
    <div class="all">
      <p class="quiet">All {calls} of this pause:</p>
      <ul>
        {pending.map(({ id: call, preview, protected: isProtected }) => (
          <li key={call}>
            {preview.summary}
            {preview.protected_path === undefined ? "" : ` · changes the protected path ${preview.protected_path}`}
            {preview.confined === false ? " · not confined" : ""}
            {isProtected === true ? " · approved by its own button only" : ""}
          </li>
        ))}
      </ul>
      <div class="bar">
        {included.length > 0 && (
          <button
            disabled={isBusy}
            aria-label={`Approve ${what} of ${id}`}
            onClick={() => onDecide({ action: "accept" })}
          >
            {isWhole ? "Approve all" : `Approve ${what}`}
          </button>
        )}
        <button
          class="danger"
          disabled={isBusy}
          aria-label={`Reject all ${calls} of ${id}`}
          onClick={() => onDecide({ action: "reject" })}
        >
          Reject all
        </button>
      </div>
    </div>
  )
}
