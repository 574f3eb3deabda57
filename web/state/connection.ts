import { computed, signal } from "@preact/signals"
import { errorMessage } from "../../domain/text/error-message.ts"

const troubles = signal<ReadonlyMap<string, string>>(new Map())

/** What does not work at the moment: one line for the whole page. */
export const trouble = computed(() => [...troubles.value.values()][0])

/** Shows that something that is asked for again and again fails, until it works. Only what is really repeated may use it: the line says so. */
export const repeated = (who: string) => ({
  failed: (error: unknown): void => {
    troubles.value = new Map(troubles.value).set(who, `${errorMessage(error)} Trying again …`)
  },
  works: (): void => {
    if (!troubles.value.has(who)) return
    const others = new Map(troubles.value)
    others.delete(who)
    troubles.value = others
  },
})
