import { signal } from "@preact/signals"

const tokenKey = "adjutant-token"

/** Why the person is asked for the token, where the link that they opened does not do. */
export const linkProblem = signal<string | undefined>(undefined)

/** The token of this origin, for all tabs. It is in no cookie: the browser would send that to other ports of the machine. */
const readToken = (): string | null => localStorage.getItem(tokenKey)

const keepToken = (token: string): void => localStorage.setItem(tokenKey, token)

/** Set while a person has to enter the token; called with what they entered. */
export const signIn = signal<((token: string) => void) | undefined>(undefined)

export const authorization = (): Readonly<Record<string, string>> => {
  const token = readToken()
  return token === null ? {} : { authorization: `Bearer ${token}` }
}

let asked: Promise<void> | undefined

/** Asks for the token once, however many requests want one. */
export const askForToken = (): Promise<void> => {
  asked ??= new Promise((resolve) => {
    signIn.value = (token) => {
      keepToken(token)
      signIn.value = undefined
      asked = undefined
      resolve()
    }
  })
  return asked
}

/** The code of the link that `adjutant dev` prints is valid once: it leaves the address, and the server answers it with the token. */
const exchangeCode = async (): Promise<void> => {
  const code = /^#code=([\w-]+)$/.exec(location.hash)?.[1]
  if (code === undefined) return
  history.replaceState(null, "", location.pathname)
  const response = await fetch("/page-token", {
    method: "POST",
    body: JSON.stringify({ code }),
    headers: { "content-type": "application/json" },
  })
  if (!response.ok) {
    linkProblem.value = "This link was used already, or is too old: adjutant open prints a new one."
    return
  }
  const answer: { readonly token: string } = await response.json()
  keepToken(answer.token)
}

/** Ends when the code in the address, if there is one, has been exchanged. */
export const exchanged = exchangeCode().catch(() => undefined)
