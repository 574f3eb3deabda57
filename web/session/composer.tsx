import { useRef, useState } from "preact/hooks"
import type { SendMessageBody } from "../../contracts/http/send-message.ts"
import type { SessionDetail } from "../../contracts/session/session-detail.ts"
import { counted } from "../../domain/text/figures.ts"
import { isCarryOut } from "../review/key-rules.ts"
import { isNarrow } from "./narrow.ts"
import { isIdle } from "../shown/status.ts"

type MessageType = SendMessageBody["type"]

interface Way {
  readonly type: MessageType
  readonly label: string
  readonly button: string
}

/** A session that waits for its sub-agents has none of its own, although it is paused. */
const pendingCalls = ({ pause_reason: pause }: SessionDetail): number => pause?.pending_tool_calls?.length ?? 0

/** What a message does to a session as it is now: the button says what happens to calls that wait. */
export const waysToSpeak = (session: SessionDetail): readonly Way[] => {
  if (session.pause_reason?.type === "input_required") return []
  if (isIdle(session)) return [{ type: "message", label: "Follow up: starts another run", button: "Send" }]
  const queue: Way = { type: "follow_up", label: "", button: "Queue for the next run" }
  const pending = pendingCalls(session)
  if (pending > 0)
    return [
      {
        type: "steering",
        label: `Steer: discards ${counted(pending, "pending call")}, which will not run`,
        button: `Steer and discard ${counted(pending, "call")}`,
      },
      queue,
    ]
  return [{ type: "steering", label: "Steer: the run reads this at its next safe point", button: "Steer" }, queue]
}

/** On a phone, the field and its buttons take their room only when somebody writes. It has the id of the field, to which the key leads. */
const Opener = ({ onOpen }: { readonly onOpen: () => void }) => (
  <div id="say">
    <button
      id="text"
      onClick={() => {
        onOpen()
        requestAnimationFrame(() => document.querySelector<HTMLElement>("textarea#text")?.focus())
      }}
    >
      Write to the session …
    </button>
  </div>
)

/** The field with which a person speaks to a session. */
export const Composer = ({
  session,
  onSay,
}: {
  readonly session: SessionDetail
  /** Returns whether the message was sent. */
  readonly onSay: (type: MessageType, text: string) => Promise<boolean>
}) => {
  const [text, setText] = useState("")
  const [isOpen, setOpen] = useState(false)
  const form = useRef<HTMLFormElement>(null)
  const ways = waysToSpeak(session)
  const [first] = ways
  // What somebody writes is not taken away when the agent asks a question in the meantime.
  if (first === undefined && text === "") return null
  if (isNarrow.value && !isOpen && text === "") return <Opener onOpen={() => setOpen(true)} />
  const say = async (type: MessageType): Promise<void> => {
    const message = text.trim()
    if (message !== "" && (await onSay(type, message))) setText("")
    setOpen(false)
  }
  return (
    <form
      id="say"
      ref={form}
      onSubmit={(event) => {
        event.preventDefault()
        if (first !== undefined) void say(first.type)
      }}
    >
      <label class="quiet" for="text">
        {first?.label ?? "The agent asks a question: answer it above. What you wrote here is not sent"}
      </label>
      <textarea
        id="text"
        rows={2}
        required
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          // A call may have become pending while the person wrote: only the button, which says so, discards it.
          if (isCarryOut(event) && !event.repeat && pendingCalls(session) === 0) form.current?.requestSubmit()
        }}
      />
      <div class="bar">
        {ways.map(({ type, button }) =>
          type === first?.type ? (
            <button key={type} class={pendingCalls(session) > 0 ? "danger" : "main"} type="submit">
              {button}
            </button>
          ) : (
            <button key={type} type="button" onClick={() => void say(type)}>
              {button}
            </button>
          ),
        )}
      </div>
    </form>
  )
}
