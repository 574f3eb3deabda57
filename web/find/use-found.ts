import { useEffect, useState } from "preact/hooks"
import type { SearchAnswer } from "../../contracts/http/sessions.ts"
import { messageOf } from "../api/request.ts"
import { server } from "../api/server.ts"

export interface Found {
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
export const useFound = (text: string): Found => {
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
      () => void ask().catch((error: unknown) => isWanted && setFound({ hits: [], news: messageOf(error) })),
      typeMs,
    )
    return () => {
      isWanted = false
      clearTimeout(timer)
    }
  }, [text])
  return found
}
