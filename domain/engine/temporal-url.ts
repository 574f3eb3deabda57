import { sessionWorkflowId } from "./engine-names.ts"

/** Returns the page of a session in the Temporal UI; null if the address of the UI is not known. */
export type TemporalUrl = (sessionId: string) => string | null

export const noTemporalUrl: TemporalUrl = () => null

/** Creates the function for the UI of a server. The URL of Temporal Cloud already contains the namespace. */
export const createTemporalUrl = ({
  uiUrl,
  namespace,
}: {
  readonly uiUrl: string | undefined
  readonly namespace: string
}): TemporalUrl => {
  if (uiUrl === undefined) return noTemporalUrl
  const base = uiUrl.replace(/\/+$/, "")
  const inNamespace = /\/namespaces\/[^/]+$/.test(base) ? base : `${base}/namespaces/${encodeURIComponent(namespace)}`
  return (sessionId) => `${inNamespace}/workflows/${encodeURIComponent(sessionWorkflowId(sessionId))}`
}
