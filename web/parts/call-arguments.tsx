import { callParts, callTitle, type ShownCall } from "../shown/call-parts.ts"
import { DiffView } from "./diff-view.tsx"

const fileOf = ({ arguments: { file_path: file } }: ShownCall): string | undefined =>
  typeof file === "string" ? file : undefined

/** The arguments of a call, all of them, as text. */
export const CallArguments = ({ call }: { readonly call: ShownCall }) => {
  const title = callTitle(call)
  return (
    <>
      {callParts(call).map((part, index) =>
        part.kind === "diff" ? (
          <DiffView key={index} diff={part.text} label={title} file={fileOf(call)} />
        ) : (
          <pre key={index} class={part.isRest === true ? "rest" : ""} tabIndex={0} role="group" aria-label={title}>
            {part.text}
          </pre>
        ),
      )}
    </>
  )
}
