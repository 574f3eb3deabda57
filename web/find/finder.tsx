import { signal } from "@preact/signals"
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks"
import { KeyList } from "../parts/key-list.tsx"
import { go } from "../state/route.ts"
import { sessions } from "../state/sessions.ts"
import { foundPlaces, namedPlaces, type FoundPlace, withoutRepeated } from "./found-links.ts"
import type { SearchAnswer } from "../../contracts/http/sessions.ts"
import { errorMessage } from "../../domain/text/error-message.ts"
import { server } from "../api/server.ts"

interface Found {
  readonly hits: SearchAnswer["items"]
  /** What there is to say about the search: that it goes on, how it ended, why it failed. */
  readonly news: string
}

const typeMs = 250
/** A shorter text is in almost every row. */
const shortest = 2

const newsOf = ({ items, is_complete: isComplete }: SearchAnswer): string => {
  const found = items.length === 0 ? "No transcript, call or changed file contains this." : ""
  return isComplete ? found : `${found} Older sessions were not searched.`.trim()
}

/** Asks the server where sessions contain a text, once the person has stopped typing. */
const useFound = (text: string): Found => {
  const [found, setFound] = useState<Found>({ hits: [], news: "" })
  useEffect(() => {
    const sought = text.trim()
    if (sought.length < shortest) {
      setFound({ hits: [], news: "" })
      return undefined
    }
    let isWanted = true
    const ask = async (): Promise<void> => {
      const answer = await server.search(sought)
      if (isWanted) setFound({ hits: answer.items, news: newsOf(answer) })
    }
    setFound((before) => ({ ...before, news: "Searching …" }))
    const timer = setTimeout(
      () => void ask().catch((error: unknown) => isWanted && setFound({ hits: [], news: errorMessage(error) })),
      typeMs,
    )
    return () => {
      isWanted = false
      clearTimeout(timer)
    }
  }, [text])
  return found
}

const isOpen = signal(false)

/** Opens the dialog that finds anything. */
export const openFinder = (): void => {
  isOpen.value = true
}

const close = (): void => {
  isOpen.value = false
}

const open = ({ link }: FoundPlace): void => {
  close()
  go(link)
}

const idOf = (index: number): string => `found-${index}`

const Option = ({ place, index, isChosen }: { place: FoundPlace; index: number; isChosen: boolean }) => {
  const item = useRef<HTMLLIElement>(null)
  useEffect(() => {
    if (isChosen) item.current?.scrollIntoView({ block: "nearest" })
  }, [isChosen])
  return (
    <li id={idOf(index)} ref={item} role="option" aria-selected={isChosen} onClick={() => open(place)}>
      <span class="title">{place.title}</span>
      <span class="quiet">{place.note}</span>
    </li>
  )
}

const Form = () => {
  const [text, setText] = useState("")
  const [chosen, setChosen] = useState(0)
  const { hits, news } = useFound(text)
  const places = withoutRepeated([...namedPlaces(text.trim(), sessions.value ?? []), ...foundPlaces(hits)])
  const at = Math.min(chosen, places.length - 1)
  const onKey = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step === undefined) return
    event.preventDefault()
    setChosen(Math.max(0, Math.min(places.length - 1, at + step)))
  }
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        const place = places[at]
        if (place !== undefined) open(place)
      }}
    >
      <input
        type="search"
        role="combobox"
        aria-label="Find"
        aria-expanded="true"
        aria-controls="found"
        aria-autocomplete="list"
        {...(places.length === 0 ? {} : { "aria-activedescendant": idOf(at) })}
        autocomplete="off"
        placeholder="A view, a session, a file, a command, or words of a transcript"
        value={text}
        onInput={(event) => {
          setText(event.currentTarget.value)
          setChosen(0)
        }}
        onKeyDown={onKey}
      />
      <ul id="found" role="listbox" aria-label="Found">
        {places.map((place, index) => (
          <Option key={place.link} place={place} index={index} isChosen={index === at} />
        ))}
      </ul>
      <p class="quiet" role="status">
        {news}
      </p>
      <KeyList />
    </form>
  )
}

/** Finds a view, a session, or a text in transcripts, calls and changed files, and leads there. */
export const Finder = () => {
  const dialog = useRef<HTMLDialogElement>(null)
  const { value: isShown } = isOpen
  useLayoutEffect(() => {
    if (!isShown) return
    dialog.current?.showModal()
    dialog.current?.querySelector("input")?.focus()
  }, [isShown])
  if (!isShown) return null
  return (
    <dialog id="finder" ref={dialog} aria-label="Find anything" onClose={close}>
      <Form />
    </dialog>
  )
}
