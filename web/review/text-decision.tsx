import { useId } from "preact/hooks"
import { isCarryOut } from "./key-rules.ts"

/** A field for a text that belongs to one decision, with the button that sends both. Ctrl+Enter sends them, too; Enter alone begins a line. */
export const TextDecision = ({
  label,
  button,
  placeholder,
  text,
  field,
  isOff,
  isRequired,
  onText,
  onSend,
}: {
  readonly label: string
  readonly button: { readonly text: string; readonly label: string; readonly class: string }
  readonly placeholder: string
  readonly text: string
  readonly field?: { current: HTMLTextAreaElement | null }
  /** Nothing can be sent. */
  readonly isOff: boolean
  readonly isRequired?: boolean
  readonly onText: (text: string) => void
  readonly onSend: () => void
}) => {
  const hint = useId()
  const isReady = !isOff && (isRequired !== true || text.trim() !== "")
  return (
    <div class="text-decision">
      <textarea
        ref={field}
        rows={Math.min(6, text.split("\n").length)}
        placeholder={placeholder}
        aria-label={label}
        aria-describedby={hint}
        value={text}
        onInput={(event) => onText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (isCarryOut(event) && !event.repeat && !event.isComposing && isReady) onSend()
        }}
      />
      <button class={button.class} disabled={!isReady} aria-label={button.label} onClick={onSend}>
        {button.text}
      </button>
      <span class="quiet hint" id={hint}>
        {isOff ? "Nothing of this is sent." : `Ctrl+Enter: ${button.text}. Escape goes back to the call.`}
      </span>
    </div>
  )
}
